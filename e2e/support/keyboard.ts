import type { Page } from 'playwright-core'

/** What the focus is on, by its label or text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document
    const labels = activeElement instanceof HTMLInputElement ? [...(activeElement.labels ?? [])] : []
    const label = labels[0]?.textContent ?? activeElement?.getAttribute('aria-label')
    return (label ?? activeElement?.textContent ?? '').trim()
  })
}

/** Presses Tab until the focus is on what is called so. */
export async function tabTo(page: Page, name: RegExp) {
  for (let press = 0; press < 80; press++) {
    if (name.test(await focused(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`80 times Tab did not lead to ${name}; the focus is on ${await focused(page)}`)
}
