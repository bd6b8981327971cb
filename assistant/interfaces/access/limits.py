"""How often a caller, and how often an address, may ask in a minute."""

import ipaddress
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from assistant.interfaces.access.caller import Caller
from assistant.settings import is_loopback


class RateLimits:
    """Counts in memory; 0 a minute means no limit."""

    def __init__(self, per_caller: int, per_address: int) -> None:
        self._caller = RateLimitItemPerMinute(per_caller) if per_caller else None
        self._address = RateLimitItemPerMinute(per_address) if per_address else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def wait_for(self, caller: Caller, address: str) -> int:
        """Counts a request, and says after how many seconds it may be made: 0 for at once."""
        return self.wait_for_address(address) or self._wait(self._caller, str(caller) if caller.id else "")

    def wait_for_address(self, address: str) -> int:
        """Counts a request from an address; this machine's own is everybody's who sits at it, and isn't counted."""
        return 0 if is_loopback(address) else self._wait(self._address, network_of(address))

    def _wait(self, limit: RateLimitItemPerMinute | None, key: str) -> int:
        if limit is None or not key or self._limiter.hit(limit, key):
            return 0
        return max(1, round(self._limiter.get_window_stats(limit, key).reset_time - time.time()))


def network_of(address: str) -> str:
    """What counts as one address: of IPv6, whose users have many, the network."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)
