"""The training loops that are measured, and the interval of a median. Not a program of its own."""

import math

import torch


def launch_bound():
    """24 × Linear, GELU, LayerNorm with AdamW: 282 small kernels a step."""
    layers = []
    for _ in range(24):
        layers += [torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    data = torch.randn(64, 256, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(data).square().mean().backward()
        optimizer.step()

    return step


def resnet_large():
    """So many pictures that the GPU binds."""
    return resnet(256)


def resnet(pictures=64):
    """ResNet-50, bfloat16."""
    import torchvision

    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    data = torch.randn(pictures, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(data).square().mean()
        loss.backward()
        optimizer.step()

    return step


def median_with_interval(values):
    """[median, low, high]: the order statistics that hold the median with 95 %, from the binomial distribution."""
    values = sorted(values)
    count = len(values)
    middle = (values[(count - 1) // 2] + values[count // 2]) / 2
    tail, below = 0.0, 0
    while below < count // 2:
        tail += math.comb(count, below) / 2**count
        if tail > 0.025:
            break
        below += 1
    at = max(below - 1, 0)
    return [middle, values[at], values[count - 1 - at]]
