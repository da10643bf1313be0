"""What PyTorch programs are made of: models, steps, loaders, and how a side is recorded. See harness.py."""
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from harness import OUT
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

DEVICE = os.environ.get("DEVICE", "cuda")


def gpt(layers=4, width=512, heads=8, vocab=32000, attention="sdpa"):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_layer=layers, n_embd=width, n_head=heads, vocab_size=vocab, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    config._attn_implementation = attention
    return GPT2LMHeadModel(config).to(DEVICE)


def llama(layers=4, width=512, heads=8, vocab=32000):
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            num_hidden_layers=layers, hidden_size=width, intermediate_size=4 * width, num_attention_heads=heads, vocab_size=vocab
        )
    ).to(DEVICE)


class Mlp(nn.Sequential):
    def __init__(self, width, depth):
        super().__init__(*[layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.GELU())])


class UNet(nn.Module):
    """A small segmentation net: convolutions, skips, transposed convolutions."""

    def __init__(self, width=32):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU())
        self.down = nn.ModuleList([block(3, width), block(width, 2 * width), block(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.join = nn.ModuleList([block(4 * width, 2 * width), block(2 * width, width)])
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        d = self.join[0](torch.cat([self.up[0](c), b], 1))
        return self.last(self.join[1](torch.cat([self.up[1](d), a], 1)))


def adam(model, **how):
    return torch.optim.AdamW(model.parameters(), 1e-4, **({"fused": True} | how))


def lm_step(model, batch, optimizer, amp=True, after=None):
    def step(i):
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            loss = model(batch, labels=batch).loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if after:
            after(i, loss)

    return step


def image_step(model, optimizer, fetch, amp=True):
    def step(i):
        x, y = fetch(i)
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


def tokens(batch, length, vocab=31000):
    return torch.randint(0, vocab, (batch, length), device=DEVICE)


def channels_last(model):
    return model.to(DEVICE).to(memory_format=torch.channels_last)


def images(batch, size=224):
    x = torch.randn(batch, 3, size, size, device=DEVICE).to(memory_format=torch.channels_last)
    return x, torch.zeros(batch, dtype=torch.long, device=DEVICE)


def spin(ms):
    until = time.perf_counter() + ms / 1e3
    while time.perf_counter() < until:
        pass


class Slow(Dataset):
    def __init__(self, ms, shape):
        self.ms, self.item = ms, torch.randn(shape)

    def __len__(self):
        return 1_000_000

    def __getitem__(self, i):
        spin(self.ms)
        return self.item + 0, i % 10


def forever(loader):
    while True:
        yield from loader


def loader(ms, shape, batch, **how):
    return forever(DataLoader(Slow(ms, shape), batch, **how))


MANY = dict(num_workers=8, persistent_workers=True, prefetch_factor=4, pin_memory=True)


def record(known, side, step, at):
    active = known.options.get("active", 3)
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=2, active=active, repeat=1),
        record_shapes=True,
        profile_memory=True,
    ) as profiler:
        for _ in range(active + 3):
            step(at[0])
            at[0] += 1
            profiler.step()
    profiler.export_chrome_trace(f"{OUT}/{known.name}.{side}.pt.trace.json")


def prepare(known):
    torch.manual_seed(0)
    torch.cuda.empty_cache()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
