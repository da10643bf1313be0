"""A Hugging Face training script as people write them: random weights, made data."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(n_layer=6)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
data = torch.randint(0, 50257, (512, 256))
for batch in torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=2):
    batch = batch.cuda()
    loss = model(batch, labels=batch).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
