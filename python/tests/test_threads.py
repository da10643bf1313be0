"""Threads that use one profile at once, and one that closes it meanwhile. `make tsan-python` runs these under the sanitizer."""

import threading

import stepscope

SMALL = "examples/cudagraph_infer.pt.trace.json.gz"


def test_threads_use_one_profile_at_once():
    profile = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz")
    alone = profile.report().dict()
    fresh = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz")
    wrong = []

    def use(i):
        try:
            for table in ("slices", "ops", "kernels", "steps", "tracks")[i % 5 :]:
                assert len(getattr(fresh, table)) == len(getattr(profile, table))
            assert fresh.report().dict() == alone
            assert [f.rule for f in fresh.findings] == [f["rule"] for f in alone["findings"]]
            fresh.view("op", order_by="micros")
        except BaseException as fault:  # noqa: BLE001: told below
            wrong.append(fault)

    threads = [threading.Thread(target=use, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_closing_while_others_work():
    for _ in range(5):
        profile = stepscope.open(SMALL)
        faults = []

        def use():
            try:
                while True:
                    profile.report()
                    profile.slices["start_ns"].sum()
            except ValueError as fault:
                faults.append(str(fault))

        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads:
            thread.start()
        profile.close()
        for thread in threads:
            thread.join(timeout=60)
        assert faults == ["the profile is closed"] * 3
