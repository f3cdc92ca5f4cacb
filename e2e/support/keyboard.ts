import type { Page } from 'playwright-core'

/** The label or text of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document
    const labels = activeElement instanceof HTMLInputElement ? [...(activeElement.labels ?? [])] : []
    const label = labels[0]?.textContent ?? activeElement?.getAttribute('aria-label')
    return (label ?? activeElement?.textContent ?? '').trim()
  })
}

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: RegExp) {
  for (let press = 0; press < 80; press++) {
    if (name.test(await focused(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`80 times Tab did not lead to ${name}; the focus is on ${await focused(page)}`)
}
