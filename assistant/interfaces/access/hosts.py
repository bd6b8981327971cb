"""Under which names this server is asked: a page of another name that was made to lead here gets nothing."""

import re
from collections.abc import Sequence
from ipaddress import ip_address

from assistant.interfaces.asgi import Scope
from assistant.settings import is_loopback

_AUTHORITY = re.compile(r"^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?)\.?(?::[0-9]{1,5})?$")


class Hosts:
    """The names and addresses that belong to this server; a name that somebody else owns is none of them.

    The owner of a name can let it lead to this machine; a browser then takes this server for theirs (DNS rebinding).
    An address can't be led elsewhere: loopback, the one listened on, and the one that was connected to are allowed.
    """

    def __init__(self, listened_on: str, public: Sequence[str] = ()) -> None:
        self._exact = frozenset(_plain(one) for one in (listened_on, *public))
        self._endings = tuple(one.removeprefix("*") for one in public if one.startswith("*."))

    def problem_of(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the reason for which a request's Host header is refused; None where it may go on."""
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return 400, "The request names no host." if not given else "The request names several hosts."
        match = _AUTHORITY.match(given[0].decode("latin-1").strip().lower())
        if match is None:
            return 400, "The Host header is no host."
        host = _plain(match[1])
        if is_loopback(host) or host in self._exact or host.endswith(self._endings) or _is_address(host, scope):
            return None
        return 421, (
            f"This server is not known as {host!r}. Whoever runs it can add the name to ASSISTANT_PUBLIC_HOSTS."
        )


def _is_address(host: str, scope: Scope) -> bool:
    """Whether the host is the very address that the connection came to."""
    server = scope.get("server")
    try:
        return server is not None and str(ip_address(host)) == _plain(server[0])
    except ValueError:
        return False


def _plain(host: str) -> str:
    """A name in small letters; an address in its shortest form."""
    bare = host.strip("[]").lower()
    try:
        address = ip_address(bare)
    except ValueError:
        return bare
    # A socket for both kinds of addresses tells IPv4 in the form of IPv6.
    return str(getattr(address, "ipv4_mapped", None) or address)
