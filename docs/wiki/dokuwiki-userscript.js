/* conf/userscript.js of a DokuWiki: brings the GPU assistant into every page. */
(function () {
  var script = document.createElement("script");
  script.src = "https://assistant.example.org/widget.js";
  var heading = document.querySelector("#dokuwiki__content h1");
  script.dataset.context = heading ? heading.textContent : document.title;
  document.head.appendChild(script);
})();
