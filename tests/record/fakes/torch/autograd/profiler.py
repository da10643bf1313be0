_is_profiler_enabled = False


class profile:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
