/* The page MediaWiki:Common.js of a MediaWiki: brings the GPU assistant into every page that is read. */
if ( mw.config.get( 'wgAction' ) === 'view' ) {
	( function () {
		var script = document.createElement( 'script' );
		script.src = 'https://assistant.example.org/widget.js';
		script.dataset.language = mw.config.get( 'wgUserLanguage' );
		script.dataset.context = mw.config.get( 'wgTitle' );
		document.head.appendChild( script );
	}() );
}
