import torch
import torchvision

model = torchvision.models.resnet18().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torchvision.datasets.FakeData(1600, (3, 224, 224), 1000, torchvision.transforms.ToTensor())
for images, labels in torch.utils.data.DataLoader(data, batch_size=32, num_workers=4):
    loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
