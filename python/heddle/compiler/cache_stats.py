"""Disk cache statistics of a kernel."""

from heddle import _heddle


class CacheStats:
    """Hits and misses of the disk cache for one kernel."""

    def __init__(self, dispatcher):
        variants = dispatcher.variants()
        cached = dispatcher.targetoptions.get("cache", False)
        self.cache_path = _heddle.cache_info().get("directory") if cached else None
        self.cache_hits = {v.signature: 1 for v in variants if cached and v.from_cache}
        self.cache_misses = {v.signature: 1 for v in variants if cached and not v.from_cache}

    def __repr__(self):
        return f"CacheStats(cache_path={self.cache_path!r}, hits={self.cache_hits}, misses={self.cache_misses})"
