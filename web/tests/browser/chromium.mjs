// Debian's Chromium, headless and offline: anything but loopback is refused and noted.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executables = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', process.env.CHROMIUM ?? ''];
export const executable = executables.find((path) => path && existsSync(path));

export async function launch() {
  if (!executable) return null;
  return chromium.launch({
    executablePath: executable,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--font-render-hinting=none',
    ],
  });
}

/**
 * A page that remembers what went wrong: console errors, exceptions, requests off loopback. To see requests, each waits for
 * this process to let it go; where time is measured, `watched: false` leaves that out.
 */
export async function newPage(browser, { watched = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => page.faults.push(`exception: ${error.message}`));
  if (!watched) return page;
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url());
    const local =
      ['127.0.0.1', 'localhost'].includes(url.hostname) || ['file:', 'data:', 'blob:'].includes(url.protocol);
    if (local) return route.continue();
    page.faults.push(`request off loopback: ${url.href}`);
    return route.abort();
  });
  return page;
}
