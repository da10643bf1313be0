"""PyTorch programs that no rule had seen when they were first scored: the forecast. For a CUDA device; see harness.py."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from harness import case, healthy, main, two
from torch.utils.data import DataLoader, Dataset
from torch_parts import DEVICE, MANY, Mlp, adam, channels_last, forever, gpt, image_step, images, llama, lm_step, prepare, record, tokens

ON_GPU = DEVICE == "cuda"


def sized(n):
    """A batch for the device; a small one to try the programs on a CPU."""
    return n if ON_GPU else max(n // 64, 2)


def sgd(model):
    return torch.optim.SGD(model.parameters(), 0.01, foreach=True)


def labels(batch):
    return torch.zeros(batch, dtype=torch.long, device=DEVICE)


def captured(run, *kept):
    """The run as one CUDA graph (a plain call where there is no device)."""
    if not ON_GPU:
        return run
    graph = torch.cuda.CUDAGraph()
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        run()
    replay = lambda: graph.replay()
    replay.kept = (run, kept)  # a graph keeps addresses, not tensors
    return replay


# ---- input
class Words(Dataset):
    """Tokenises in Python, as a data set of texts does."""

    text = " ".join(f"word{n % 977} and{n % 31}" for n in range(450))

    def __len__(self):
        return 1_000_000

    def __getitem__(self, i):
        ids = [hash(word) % 30000 for word in self.text.split()]
        counts = {}
        for one in ids:
            counts[one] = counts.get(one, 0) + 1
        return torch.tensor(ids[:256])


@case(["dataloader-workers-zero", "input-bound-step"], "forecast")
def bert_tokenises_in_process(bad):
    from transformers import BertConfig, BertModel

    model = BertModel(BertConfig(num_hidden_layers=4, hidden_size=512, num_attention_heads=8, intermediate_size=2048, vocab_size=30000)).to(DEVICE)
    how = dict(num_workers=0, pin_memory=ON_GPU) if bad else MANY | dict(pin_memory=ON_GPU)
    data = forever(DataLoader(Words(), sized(64), **how))
    optimizer = adam(model, fused=ON_GPU)

    def step(i):
        x = next(data).to(DEVICE, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).last_hidden_state.square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


def numpy_images(batch, bad):
    """Crops and normalises a batch with NumPy in the loop itself; mended: it was done before."""
    raw = np.random.randint(0, 255, (batch, 3, 160, 160), np.uint8)

    def crop():
        part = raw[:, :, 16:144, 16:144].astype(np.float32)
        part = (part / 255 - 0.45) / 0.22
        return torch.from_numpy(part)

    ready = crop().pin_memory() if ON_GPU else crop()
    return lambda: crop() if bad else ready


@case(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], "forecast")
def mobilenet_numpy_in_loop(bad):
    batch = sized(256)
    model = channels_last(torchvision.models.mobilenet_v3_large())
    fetch, y = numpy_images(batch, bad), labels(batch)
    return image_step(model, sgd(model), lambda i: (fetch().to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last), y))


@case(["h2d-pageable", "h2d-not-overlapped"], "forecast")
def efficientnet_pageable(bad):
    batch = sized(192)
    model = channels_last(torchvision.models.efficientnet_b0())
    host = torch.randn(batch, 3, 224, 224)
    host = host if bad or not ON_GPU else host.pin_memory()
    y = labels(batch)
    return image_step(model, sgd(model), lambda i: (host.to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last), y))


# ---- waiting for the device
@case(["blocking-sync-calls", "per-step-scalar-readback"], "forecast")
def moe_counts_each_expert(bad):
    """How many tokens each expert gets is read back expert by expert; mended: all counts at once."""
    width, experts, layers = 512, 16, 6
    x = torch.randn(sized(4096), width, device=DEVICE, dtype=torch.bfloat16)
    routers = [torch.randn(width, experts, device=DEVICE, dtype=torch.bfloat16) for _ in range(layers)]
    weights = [torch.randn(experts, width, width, device=DEVICE, dtype=torch.bfloat16) / 30 for _ in range(layers)]

    def step(i):
        with torch.inference_mode():
            y = x
            for router, mine in zip(routers, weights):
                route = (y @ router).argmax(1)
                order = route.argsort()
                if bad:
                    sizes = [int((route == e).sum()) for e in range(experts)]
                else:
                    sizes = torch.bincount(route, minlength=experts).tolist()
                parts = y[order].split(sizes)
                y = torch.cat([F.silu(part @ mine[e]) for e, part in enumerate(parts)])

    return step


@case(["d2h-large-readback", "blocking-sync-calls", "per-step-scalar-readback", "gpu-idle-gap-attribution"], "forecast")
def regnet_features_to_host(bad):
    """Every step a feature map is taken to the host to be looked at; mended: its mean stays on the device."""
    batch = sized(128)
    model = channels_last(torchvision.models.regnet_y_800mf())
    x, y = images(batch, 128)
    optimizer, kept = sgd(model), {}
    model.trunk_output.register_forward_hook(lambda m, a, out: kept.update(out=out.detach()))
    model.stem.register_forward_hook(lambda m, a, out: kept.update(stem=out.detach()))
    run = image_step(model, optimizer, lambda i: (x, y))

    def step(i):
        run(i)
        seen = kept["stem"].float()
        kept["mean"] = float(seen.cpu().mean()) if bad else seen.mean()

    return step


# ---- precision, layout
class Volumes(nn.Sequential):
    def __init__(self, width=32):
        block = lambda a, b, stride: [nn.Conv3d(a, b, 3, stride, 1, bias=False), nn.BatchNorm3d(b), nn.ReLU()]
        super().__init__(*block(4, width, 1), *block(width, 2 * width, 2), *block(2 * width, 4 * width, 2), *block(4 * width, 4 * width, 1), nn.Conv3d(4 * width, 3, 1))


@case(["tensor-cores-unused", "tf32-disabled"], "forecast")
def volumes_fp32(bad):
    model = Volumes().to(DEVICE)
    x = torch.randn(sized(8), 4, 48, 48, 48, device=DEVICE)
    optimizer = sgd(model)

    def step(i):
        torch.backends.cudnn.allow_tf32 = False
        with torch.autocast("cuda", torch.bfloat16, enabled=not bad):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


class NormAcross(nn.Module):
    """LayerNorm over the channels of an image: a copy there and a copy back where the layout is NCHW."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = self.norm(x.permute(0, 2, 3, 1).contiguous()).permute(0, 3, 1, 2)
        return x.contiguous(memory_format=self.layout)


@case(["layout-transpose-overhead", "conv-layout-nonpreferred"], "forecast")
def convnext_copies_around_norm(bad):
    width, batch = 96, sized(64)
    layout = torch.contiguous_format if bad else torch.channels_last
    NormAcross.layout = layout

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(width, width, 7, padding=3, groups=width), NormAcross(width), nn.Conv2d(width, 4 * width, 1), nn.GELU(), nn.Conv2d(4 * width, width, 1)
            )

        def forward(self, x):
            return x + self.body(x)

    model = nn.Sequential(nn.Conv2d(3, width, 4, 4), *[Block() for _ in range(6)], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))
    model = model.to(DEVICE).to(memory_format=layout)
    x, y = images(batch, 224)
    x = x.contiguous(memory_format=layout)

    def fetch(i):
        NormAcross.layout = layout
        return x, y

    return image_step(model, sgd(model), fetch)


# ---- launches
@case(["optimizer-not-fused", "kernel-launch-bound"], "forecast")
def densenet_loop_adam(bad):
    model = channels_last(torchvision.models.densenet121())
    data = images(sized(32), 128)
    return image_step(model, adam(model, **(dict(fused=False, foreach=False) if bad else dict(fused=ON_GPU))), lambda i: data)


@case(["kernel-launch-bound", "python-loop-of-ops", "rnn-unfused-cell", "gpu-low-utilization"], "forecast")
def gru_hand_written_training(bad):
    """Gates written by hand, one time step after the other; mended: nn.GRU."""
    width, length, batch = 256, 48, sized(64)
    whole = nn.GRU(width, width).to(DEVICE)
    x = torch.randn(length, batch, width, device=DEVICE)
    optimizer = sgd(whole)

    def by_hand():
        hidden, outs = torch.zeros(batch, width, device=DEVICE), []
        for t in range(length):
            a = F.linear(x[t], whole.weight_ih_l0, whole.bias_ih_l0).chunk(3, 1)
            b = F.linear(hidden, whole.weight_hh_l0, whole.bias_hh_l0).chunk(3, 1)
            reset, update = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
            new = torch.tanh(a[2] + reset * b[2])
            hidden = (1 - update) * new + update * hidden
            outs.append(hidden)
        return torch.stack(outs)

    def step(i):
        loss = (by_hand() if bad else whole(x)[0]).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


@case(["tensor-created-on-host", "small-memcpy-storm", "h2d-pageable", "blocking-sync-calls"], "forecast")
def pointnet_tensors_from_lists(bad):
    """Offsets of every cloud are made from Python lists; mended: made once, on the device."""
    model = Mlp(256, 6).to(DEVICE)
    points = torch.randn(sized(16384), 256, device=DEVICE)
    lists = [[(n * 7 + k) % points.shape[0] for k in range(500)] for n in range(48)]
    ready = [torch.tensor(one, device=DEVICE) for one in lists]

    def step(i):
        with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
            features = model(points)
            for n, one in enumerate(lists):
                chosen = torch.tensor(one, device=DEVICE) if bad else ready[n]
                features.index_select(0, chosen).amax(0)

    return step


@case(["graph-breaks", "kernel-launch-bound", "per-step-scalar-readback", "blocking-sync-calls"], "forecast", warmup=3)
def compiled_with_breaks(bad):
    """A compiled model that looks at a number between its layers: each look ends a graph."""
    blocks = nn.ModuleList([Mlp(256, 2) for _ in range(24)]).to(DEVICE)
    x = torch.randn(128, 256, device=DEVICE)

    class Looks(nn.Module):
        def forward(self, x):
            for block in blocks:
                x = block(x)
                if bad and x.abs().max().item() > 1e6:
                    x = x / 2
            return x

    torch._dynamo.reset()
    run = torch.compile(Looks())

    def step(i):
        with torch.inference_mode():
            run(x)

    return step


def decoder(layers=10, width=640, heads=10, batch=2, length=128):
    """One token through a decoder with a static cache; sampling by the largest."""
    dim, vocab = width // heads, 8000
    make = lambda *shape: torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16) / 30
    blocks = [(make(3 * width, width), make(width, width), make(4 * width, width), make(width, 4 * width)) for _ in range(layers)]
    caches = [(make(batch, heads, length, dim), make(batch, heads, length, dim)) for _ in blocks]
    head, table = make(vocab, width), make(vocab, width)
    place, token = torch.zeros(1, dtype=torch.long, device=DEVICE), torch.zeros(batch, dtype=torch.long, device=DEVICE)

    def one():
        x = table[token].unsqueeze(1)
        for (qkv, out, up, down), (keys, values) in zip(blocks, caches):
            q, k, v = F.linear(F.rms_norm(x, (width,)), qkv).view(batch, 1, 3, heads, dim).permute(2, 0, 3, 1, 4)
            keys.index_copy_(2, place, k)
            values.index_copy_(2, place, v)
            x = x + F.linear(F.scaled_dot_product_attention(q, keys, values).transpose(1, 2).reshape(batch, 1, width), out)
            x = x + F.linear(F.silu(F.linear(F.rms_norm(x, (width,)), up)), down)
        token.copy_(F.linear(x[:, 0], head).argmax(1))
        place.add_(1).remainder_(length)

    return one, token


@case(["kernel-launch-bound", "decode-without-graph", "gpu-low-utilization", "batch-too-small"], "forecast")
def decode_static_cache_eager(bad):
    with torch.inference_mode():
        one, token = decoder()
        run = one if bad else captured(one)

    def step(i):
        with torch.inference_mode():
            for _ in range(12):
                run()

    return step


# ---- kernels
class ByHand(nn.Module):
    def __init__(self, width, heads, fused):
        super().__init__()
        self.qkv, self.out, self.heads, self.fused = nn.Linear(width, 3 * width), nn.Linear(width, width), heads, fused

    def forward(self, x):
        b, n, width = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
            y = F.softmax(scores.float(), -1).to(v.dtype) @ v
        return x + self.out(y.transpose(1, 2).reshape(b, n, width))


@case(["attention-unfused", "elementwise-unfused-chain", "kernels-memory-bound"], "forecast")
def long_document_attention_by_hand(bad):
    model = nn.Sequential(*[ByHand(512, 8, not bad) for _ in range(6)]).to(DEVICE)
    x = torch.randn(sized(2), sized(4096), 512, device=DEVICE)
    optimizer = adam(model, fused=ON_GPU)

    def step(i):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


@case(["elementwise-unfused-chain", "kernels-memory-bound", "kernel-launch-bound"], "forecast")
def diffusion_sampler_unfused(bad):
    """The arithmetic between two calls of a denoiser, op by op; mended: compiled."""
    x = torch.randn(sized(64), 4, 256, 256, device=DEVICE)
    noise, weight = torch.randn_like(x), torch.randn(4, 4, 1, 1, device=DEVICE)

    def update(x, noise, t):
        guess = F.silu(F.conv2d(x, weight))
        mean = (x - guess * (1 - t)) / (t + 0.1)
        spread = torch.exp(0.5 * torch.log1p(guess.square())) * torch.sigmoid(mean - x)
        return (mean.clamp(-2, 2) * 0.9 + spread * noise * 0.1 + torch.tanh(x) * 0.01).clamp(-4, 4)

    torch._dynamo.reset()
    run = update if bad else torch.compile(update)

    def step(i):
        with torch.inference_mode():
            y = x
            for n in range(6):
                y = run(y, noise, 0.5)

    return step


@case(["activations-recomputed"], "forecast")
def gpt_checkpoints_with_free_memory(bad):
    """Activations are computed again in the backward pass though the device has memory for them."""
    model = gpt(8, 768, 12)
    if bad:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
        model.train()
    return lm_step(model, tokens(sized(16), 512), adam(model, fused=ON_GPU))


@case(["frozen-layers-differentiated"], "forecast")
def densenet_frozen_features(bad):
    model = channels_last(torchvision.models.densenet121())
    model.features.requires_grad_(bad)
    data = images(sized(64))
    return image_step(model, torch.optim.SGD(model.classifier.parameters(), 0.1), lambda i: data)


@case(["grad-mode-in-inference"], "forecast")
def efficientnet_eval_with_grad(bad):
    model = channels_last(torchvision.models.efficientnet_b0()).eval()
    x, _ = images(sized(16), 160)

    def step(i):
        with torch.set_grad_enabled(bad), torch.autocast("cuda", torch.bfloat16):
            model(x)

    return step


# ---- the run around the step
@case(["checkpoint-stall", "step-time-outliers"], "forecast", active=6, steps=6, rounds=3)
def mlp_saves_every_other_step(bad):
    model = Mlp(2048, 6).to(DEVICE)
    optimizer = adam(model, fused=ON_GPU)
    x = torch.randn(sized(4096), 2048, device=DEVICE)

    def step(i):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if bad and i % 2 == 0:
            torch.save(model.state_dict(), "/dev/shm/stepscope_forecast.pt")

    return step


# ---- two causes at once
@two(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], ["optimizer-not-fused", "kernel-launch-bound"], "forecast")
def shufflenet_numpy_and_loop_optimizer(first, second):
    batch = sized(96)
    model = channels_last(torchvision.models.shufflenet_v2_x1_0())
    fetch, y = numpy_images(batch, first), labels(batch)
    optimizer = adam(model, **(dict(fused=False, foreach=False) if second else dict(fused=ON_GPU)))
    return image_step(model, optimizer, lambda i: (fetch().to(DEVICE, non_blocking=True).to(memory_format=torch.channels_last), y))


@two(["kernel-launch-bound", "decode-without-graph", "gpu-low-utilization", "batch-too-small"], ["per-step-scalar-readback", "blocking-sync-calls"], "forecast")
def decode_eager_and_stop_token(first, second):
    with torch.inference_mode():
        one, token = decoder(6, 512, 8)
        run = one if first else captured(one)

    def step(i):
        with torch.inference_mode():
            for _ in range(12):
                run()
                if second and bool((token == -1).all()):
                    break

    return step


@two(["attention-unfused", "elementwise-unfused-chain", "kernels-memory-bound"], ["h2d-pageable", "h2d-not-overlapped"], "forecast")
def document_attention_and_pageable(first, second):
    model = nn.Sequential(*[ByHand(512, 8, not first) for _ in range(4)]).to(DEVICE)
    host = torch.randn(sized(8), sized(2048), 512)
    host = host if second or not ON_GPU else host.pin_memory()
    optimizer = adam(model, fused=ON_GPU)

    def step(i):
        x = host.to(DEVICE, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


# ---- nothing to gain
@healthy("forecast")
def healthy_wide_convolutions(bad):
    model = channels_last(torchvision.models.wide_resnet50_2())
    data = images(sized(192))
    return image_step(model, sgd(model), lambda i: data)


@healthy("forecast")
def healthy_llama_prefill(bad):
    model = llama(8, 2048, 16).to(torch.bfloat16).eval()
    prompt = tokens(sized(8), sized(2048))

    def step(i):
        with torch.inference_mode():
            model.model(prompt)

    return step


@healthy("forecast")
def healthy_decode_graph(bad):
    with torch.inference_mode():
        one, token = decoder(8, 1024, 16, 64)
        run = captured(one)

    def step(i):
        with torch.inference_mode():
            for _ in range(8):
                run()

    return step


if __name__ == "__main__":
    main(torch.cuda.synchronize if ON_GPU else lambda: None, record, prepare)
