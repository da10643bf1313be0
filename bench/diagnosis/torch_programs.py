"""PyTorch programs with a known cause of slowness, for a CUDA device. See harness.py."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from harness import case, healthy, main, two
from torch_parts import (
    DEVICE, MANY, Mlp, UNet, adam, channels_last, gpt, image_step, images, llama, lm_step, loader, prepare, record, spin, tokens,
)


# ---- input
@case(["dataloader-workers-zero", "input-bound-step"], "tune")
def unet_loader_in_process(bad):
    model = channels_last(UNet())
    data = loader(1.0, (3, 128, 128), 32, **(dict(num_workers=0, pin_memory=True) if bad else MANY))
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)

    def step(i):
        x, _ = next(data)
        x = x.to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


@case(["dataloader-workers-mismatch", "input-bound-step", "input-cpu-saturated"], "held")
def vit_too_few_workers(bad):
    model = torchvision.models.vit_b_16().to(DEVICE)
    how = dict(num_workers=1, persistent_workers=True, pin_memory=True) if bad else MANY
    data = loader(1.6, (3, 224, 224), 48, **how)

    def fetch(i):
        x, y = next(data)
        return x.to(DEVICE, non_blocking=True), y.to(DEVICE, non_blocking=True)

    return image_step(model, adam(model), fetch)


@case(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], "tune")
def gpt_python_generator(bad):
    model = gpt()

    def batches():
        while True:
            if bad:
                spin(18)
            yield torch.randint(0, 31000, (8, 256))

    stream = batches()
    optimizer = adam(model)

    def step(i):
        batch = next(stream).to(DEVICE, non_blocking=True)
        lm_step(model, batch, optimizer)(i)

    return step


@case(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], "held")
def mlp_next_batch_range(bad):
    model = Mlp(2048, 8).to(DEVICE)
    optimizer = adam(model)
    host = torch.randn(1024, 2048).pin_memory()

    def next_batch():
        with torch.profiler.record_function("next_batch"):
            if bad:
                spin(9)
            return host

    def step(i):
        x = next_batch().to(DEVICE, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


# ---- waiting for the device
@case(["per-step-scalar-readback", "blocking-sync-calls"], "tune")
def llama_loss_item(bad):
    model = llama(6)
    seen = []

    def after(i, loss):
        if bad:
            for parameter in model.parameters():
                seen.append(parameter.grad.abs().max().item())

    return lm_step(model, tokens(4, 128), adam(model), after=after)


@case(["blocking-sync-calls", "per-step-scalar-readback"], "held")
def rl_rollout_cpu_every_step(bad):
    """A policy that acts in an environment: each action is read back where a batch of them would do."""
    policy = Mlp(256, 4).to(DEVICE)
    state = torch.randn(64, 256, device=DEVICE)

    def step(i):
        nonlocal state
        with torch.no_grad():
            actions = []
            for _ in range(60):
                state = torch.tanh(policy(state))
                actions.append(state.mean(1).argmax() if not bad else state.mean(1).argmax().cpu())
            if not bad:
                torch.stack(actions).cpu()

    return step


# ---- precision
@case(["tensor-cores-unused", "tf32-disabled"], "tune")
def bert_fp32(bad):
    from transformers import BertConfig, BertModel

    torch.backends.cuda.matmul.allow_tf32 = False
    model = BertModel(BertConfig(num_hidden_layers=6, vocab_size=30000)).to(DEVICE)
    optimizer = adam(model)
    x = tokens(16, 256, 29000)

    def step(i):
        with torch.autocast("cuda", torch.bfloat16, enabled=not bad):
            loss = model(x).last_hidden_state.square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


@case(["tensor-cores-unused", "tf32-disabled"], "held")
def mlp_fp32_inference(bad):
    torch.backends.cuda.matmul.allow_tf32 = False
    model = Mlp(4096, 12).to(DEVICE).eval()
    x = torch.randn(2048, 4096, device=DEVICE)

    def step(i):
        with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16, enabled=not bad):
            model(x)

    return step


@case(["dtype-cast-churn"], "held")
def llama_casts_in_forward(bad):
    width, layers = 2048, 12
    weights = [torch.randn(width, width, device=DEVICE, dtype=torch.float32 if bad else torch.bfloat16) for _ in range(layers)]
    x = torch.randn(256, width, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        with torch.inference_mode():
            y = x
            for weight in weights:
                y = F.silu(F.linear(y, weight.to(torch.bfloat16)))

    return step


@case(["gemm-dims-misaligned"], "tune")
def classifier_odd_vocabulary(bad):
    model = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 50257 if bad else 50304)).to(DEVICE).to(torch.bfloat16)
    optimizer = adam(model)
    x = torch.randn(4096, 1024, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        loss = model(x).float().logsumexp(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


# ---- launches
@case(["optimizer-not-fused", "kernel-launch-bound"], "held")
def vit_loop_optimizer(bad):
    model = torchvision.models.vit_b_16().to(DEVICE)
    data = images(8)
    data = (data[0].contiguous(), data[1])
    return image_step(model, adam(model, **(dict(fused=False, foreach=False) if bad else {})), lambda i: data)


@case(["kernel-launch-bound", "eager-execution-overhead", "batch-too-small", "gpu-low-utilization"], "tune")
def mlp_many_small_layers(bad):
    model = Mlp(128, 100).to(DEVICE).eval()
    x = torch.randn(64, 128, device=DEVICE)
    run = model
    if not bad:
        graph = torch.cuda.CUDAGraph()
        with torch.inference_mode():
            for _ in range(3):
                model(x)
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                model(x)
        run = lambda _: graph.replay()

    def step(i):
        with torch.inference_mode():
            for _ in range(4):
                run(x)

    step.kept = model
    return step


@case(["kernel-launch-bound", "python-loop-of-ops", "gpu-low-utilization"], "held")
def lstm_python_loop(bad):
    width = 256
    cell = nn.LSTMCell(width, width).to(DEVICE)
    fused = nn.LSTM(width, width).to(DEVICE)
    x = torch.randn(100, 32, width, device=DEVICE)

    def step(i):
        with torch.inference_mode():
            if bad:
                h = c = torch.zeros(32, width, device=DEVICE)
                for t in range(100):
                    h, c = cell(x[t], (h, c))
            else:
                fused(x)

    return step


@case(["kernel-launch-bound", "decode-without-graph", "gpu-low-utilization"], "tune")
def gpt_decode_eager(bad):
    """Token by token, with a cache that grows by cat; the other side replays a graph over a static cache."""
    layers, width, heads, batch, most = 8, 512, 8, 4, 256
    dim = width // heads
    blocks = [
        [torch.randn(n, width, device=DEVICE, dtype=torch.bfloat16) / 30 for n in (3 * width, width, 4 * width)]
        + [torch.randn(width, 4 * width, device=DEVICE, dtype=torch.bfloat16) / 30]
        for _ in range(layers)
    ]

    def token(x, caches, write):
        for n, (qkv, out, up, down) in enumerate(blocks):
            q, k, v = F.linear(F.layer_norm(x, (width,)), qkv).view(batch, 1, 3, heads, dim).permute(2, 0, 3, 1, 4)
            k, v = write(caches, n, k, v)
            x = x + F.linear(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, 1, width), out)
            x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (width,)), up)), down)
        return x

    def grow(caches, n, k, v):
        caches[n] = (torch.cat([caches[n][0], k], 2), torch.cat([caches[n][1], v], 2))
        return caches[n]

    place = torch.zeros(1, dtype=torch.long, device=DEVICE)

    def put(caches, n, k, v):
        caches[n][0].index_copy_(2, place, k)
        caches[n][1].index_copy_(2, place, v)
        return caches[n]

    empty = lambda length: [tuple(torch.zeros(batch, heads, length, dim, device=DEVICE, dtype=torch.bfloat16) for _ in "kv") for _ in blocks]
    x = torch.randn(batch, 1, width, device=DEVICE, dtype=torch.bfloat16)
    if not bad:
        static, graph = empty(64), torch.cuda.CUDAGraph()
        with torch.inference_mode():
            for _ in range(3):
                token(x, static, put)
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                token(x, static, put)

    def step(i):
        with torch.inference_mode():
            if not bad:
                for _ in range(16):
                    graph.replay()
            else:
                caches = empty(48)
                for _ in range(16):
                    token(x, caches, grow)

    step.kept = (place, blocks, x, None if bad else static)  # a graph keeps addresses, not tensors
    return step


@case(["kernel-launch-bound", "decode-cache-grows", "batch-too-small", "gpu-low-utilization"], "held")
def llama_generate(bad):
    """Four prompts one after the other; the other side decodes them in one batch."""
    model = llama(6).to(torch.bfloat16).eval()
    prompts = tokens(4, 32)
    options = dict(max_new_tokens=12, min_new_tokens=12, do_sample=False, pad_token_id=0)

    def step(i):
        with torch.inference_mode():
            for prompt in prompts.split(1) if bad else [prompts]:
                model.generate(prompt, attention_mask=torch.ones_like(prompt), **options)

    return step


# ---- copies
@case(["h2d-pageable", "h2d-not-overlapped"], "held")
def unet_pageable(bad):
    model = channels_last(UNet(16))
    host = torch.randn(96, 3, 256, 256)
    host = host if bad else host.pin_memory()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)

    def step(i):
        x = host.to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


@case(["small-memcpy-storm", "h2d-pageable", "tensor-created-on-host", "kernel-launch-bound"], "tune")
def recommender_many_small_copies(bad):
    tables = nn.ModuleList([nn.EmbeddingBag(100_000, 64, mode="sum") for _ in range(40)]).to(DEVICE)
    host = [torch.randint(0, 100_000, (512, 4)) for _ in range(40)]
    together = torch.stack(host).pin_memory()

    def step(i):
        with torch.inference_mode():
            ids = [h.to(DEVICE) for h in host] if bad else together.to(DEVICE, non_blocking=True).unbind(0)
            torch.cat([table(one) for table, one in zip(tables, ids)], 1).sum()

    return step


# ---- kernels
@case(["attention-unfused", "elementwise-unfused-chain", "kernels-memory-bound"], "tune")
def gpt_eager_attention(bad):
    model = gpt(4, 768, 12, attention="eager" if bad else "sdpa")
    return lm_step(model, tokens(4, 1024), adam(model))


@case(["conv-layout-nonpreferred", "layout-transpose-overhead"], "held")
def resnet_nchw(bad):
    model = torchvision.models.resnet50().to(DEVICE)
    data = images(96)
    if bad:
        data = (data[0].contiguous(), data[1])
    else:
        model = model.to(memory_format=torch.channels_last)
    return image_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True), lambda i: data)


@case(["elementwise-unfused-chain", "kernels-memory-bound", "kernel-launch-bound"], "held")
def physics_elementwise_chain(bad):
    x = torch.randn(64, 1024, 1024, device=DEVICE)

    def update(u):
        v = torch.sin(u) * 0.5 + torch.cos(u) * u
        w = torch.tanh(v) + u * 0.25 - v.square() * 0.1
        return torch.where(w > 0, w, w * 0.01).clamp(-3, 3) + u

    run = update if bad else torch.compile(update)

    def step(i):
        with torch.inference_mode():
            run(x)

    return step


@case(["frozen-layers-differentiated"], "held")
def llama_frozen_layers(bad):
    model = llama(8)
    for name, parameter in model.named_parameters():
        if not name.startswith("lm_head"):
            parameter.requires_grad_(bad)
    optimizer = torch.optim.SGD(model.lm_head.parameters(), 0.1)
    return lm_step(model, tokens(8, 512), optimizer)


@case(["grad-mode-in-inference"], "tune")
def vit_inference_with_grad(bad):
    model = torchvision.models.vit_b_16().to(DEVICE).eval()
    x = torch.randn(4, 3, 224, 224, device=DEVICE)

    def step(i):
        with torch.set_grad_enabled(bad), torch.autocast("cuda", torch.bfloat16):
            model(x)

    return step


# ---- the run around the step
@case(["checkpoint-stall", "step-time-outliers"], "held", active=9, steps=9)
def resnet_saves_often(bad):
    model = channels_last(torchvision.models.resnet50())
    data = images(32)
    run = image_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True), lambda i: data)

    def step(i):
        run(i)
        if bad and i % 3 == 0:
            torch.save({name: value.cpu() for name, value in model.state_dict().items()}, "/dev/shm/stepscope_checkpoint.pt")

    return step


@case(["debug-apis-left-on"], "tune")
def gpt_anomaly_mode(bad):
    model = gpt(4, 256)
    run = lm_step(model, tokens(4, 128), adam(model))

    def step(i):
        with torch.autograd.set_detect_anomaly(bad, check_nan=bad):
            run(i)

    return step


@case(["memory-fragmentation", "allocator-retry-steady", "blocking-sync-calls"], "held")
def unet_empty_cache(bad):
    model = channels_last(UNet())
    x = torch.randn(32, 3, 128, 128, device=DEVICE).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)

    def step(i):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if bad:
            torch.cuda.empty_cache()

    return step


@case(["dynamic-shape-recompile", "compile-time-dominates-startup"], "tune", rounds=1, steps=4, warmup=1, active=4)
def mlp_recompiles(bad):
    torch._dynamo.reset()
    model = torch.compile(Mlp(256, 3).to(DEVICE), dynamic=False)
    torch._dynamo.config.cache_size_limit = 64

    def step(i):
        with torch.inference_mode():
            model(torch.randn(64 + (i % 40 if bad else 0), 256, device=DEVICE))

    return step


# ---- two causes at once: the rules of each
@two(["dataloader-workers-zero", "input-bound-step"], ["tensor-cores-unused", "tf32-disabled"], "tune")
def resnet_loader_and_fp32(first, second):
    torch.backends.cuda.matmul.allow_tf32 = False
    model = channels_last(torchvision.models.resnet50())
    data = loader(0.5, (3, 224, 224), 64, **(dict(num_workers=0, pin_memory=True) if first else MANY))

    def fetch(i):
        x, y = next(data)
        return x.to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last), y.to(DEVICE, non_blocking=True)

    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        pass
    run = image_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True), fetch, amp=not second)

    def step(i):
        torch.backends.cudnn.allow_tf32 = False
        run(i)

    return step


@two(["optimizer-not-fused", "kernel-launch-bound"], ["per-step-scalar-readback", "blocking-sync-calls"], "held")
def gpt_optimizer_and_item(first, second):
    model = gpt(12, 256, 4)
    seen = []

    def after(i, loss):
        if second:
            seen.extend(p.grad.sum().item() for p in list(model.parameters())[:60])

    return lm_step(model, tokens(2, 64), adam(model, **(dict(fused=False, foreach=False) if first else {})), after=after)


@two(["h2d-pageable", "h2d-not-overlapped"], ["conv-layout-nonpreferred", "layout-transpose-overhead"], "held")
def resnet18_pageable_and_nchw(first, second):
    model = torchvision.models.resnet18().to(DEVICE)
    model = model if second else model.to(memory_format=torch.channels_last)
    host = torch.randn(256, 3, 224, 224)
    host = host if first else host.pin_memory()
    y = torch.zeros(256, dtype=torch.long, device=DEVICE)

    def fetch(i):
        x = host.to(DEVICE, non_blocking=True)
        return (x if second else x.to(memory_format=torch.channels_last)), y

    return image_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True), fetch)


@two(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], ["attention-unfused", "kernels-memory-bound"], "tune")
def gpt_input_and_attention(first, second):
    model = gpt(4, 768, 12, attention="eager" if second else "sdpa")
    optimizer = adam(model)

    def next_batch():
        if first:
            spin(20)
        return torch.randint(0, 31000, (4, 1024)).to(DEVICE, non_blocking=True)

    def step(i):
        with torch.profiler.record_function("next_batch"):
            batch = next_batch()
        lm_step(model, batch, optimizer)(i)

    return step


@two(["frozen-layers-differentiated"], ["tensor-cores-unused", "tf32-disabled"], "held")
def vit_frozen_and_fp32(first, second):
    torch.backends.cuda.matmul.allow_tf32 = False
    model = torchvision.models.vit_b_16().to(DEVICE)
    for name, parameter in model.named_parameters():
        if not name.startswith("heads"):
            parameter.requires_grad_(first)
    data = images(32)
    data = (data[0].contiguous(), data[1])
    return image_step(model, torch.optim.SGD(model.heads.parameters(), 0.1), lambda i: data, amp=not second)


@two(["checkpoint-stall", "step-time-outliers"], ["optimizer-not-fused", "kernel-launch-bound"], "tune", active=8)
def llama_saves_and_loops(first, second):
    model = llama(6, 256, 4)

    def after(i, loss):
        if first and i % 4 == 0:
            torch.save(model.state_dict(), "/dev/shm/stepscope_checkpoint2.pt")

    return lm_step(model, tokens(4, 128), adam(model, **(dict(fused=False, foreach=False) if second else {})), after=after)


# ---- nothing to gain
@healthy("tune")
def healthy_resnet(bad):
    model = channels_last(torchvision.models.resnet50())
    data = images(256)
    return image_step(model, torch.optim.SGD(model.parameters(), 0.1, foreach=True, momentum=0.9), lambda i: data)


@healthy("held")
def healthy_llama(bad):
    model = llama(8, 1024, 16)
    return lm_step(model, tokens(16, 1024), adam(model))


@healthy("tune")
def healthy_gemm_inference(bad):
    model = Mlp(8192, 6).to(DEVICE).to(torch.bfloat16).eval()
    x = torch.randn(4096, 8192, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        with torch.inference_mode():
            model(x)

    return step


@healthy("held")
def healthy_vit_fed(bad):
    model = torchvision.models.vit_b_16().to(DEVICE)
    data = loader(0.1, (3, 224, 224), 128, **MANY)

    def fetch(i):
        x, y = next(data)
        return x.to(DEVICE, non_blocking=True), y.to(DEVICE, non_blocking=True)

    return image_step(model, adam(model), fetch)


@healthy("held")
def healthy_graph_replay(bad):
    model = Mlp(2048, 24).to(DEVICE).to(torch.bfloat16).eval()
    x = torch.randn(1024, 2048, device=DEVICE, dtype=torch.bfloat16)
    graph = torch.cuda.CUDAGraph()
    with torch.inference_mode():
        for _ in range(3):
            model(x)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            model(x)

    def step(i):
        graph.replay()

    step.kept = (model, x)
    return step


@healthy("tune")
def healthy_compiled_gpt(bad):
    model = gpt(6, 768, 12)
    run = torch.compile(model)
    batch, optimizer = tokens(64, 512), adam(model)  # large enough that the host keeps ahead

    def step(i):
        with torch.autocast("cuda", torch.bfloat16):
            loss = run(batch, labels=batch).loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(torch.cuda.synchronize, record, prepare)
