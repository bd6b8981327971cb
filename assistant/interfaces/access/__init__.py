"""Who may ask: proxies, tokens, origins, limits and the gate that applies them."""
