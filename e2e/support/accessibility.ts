import type { Page, ViewportSize } from 'playwright-core'
import { expect } from 'vitest'
import { noteChecked } from './count-checks.ts'
import { type AxeOptions, findViolations } from './run-axe.ts'
import { inFull } from './scale.ts'
import { DESKTOP, PHONE } from './start-ui.ts'

/** The rules whose result depends on the theme. */
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block']

/** Asserts that axe has no serious or critical findings on a page as it is. */
export async function expectAccessible(page: Page, options: AxeOptions = {}): Promise<void> {
  await settle(page)
  expect(await findViolations(page, options)).toEqual([])
}

/**
 * Asserts that axe has no serious or critical findings on an open page in the light theme, and in the dark theme on a phone,
 * and that the page of a phone does not scroll sideways; in `npm run test:full` also in the dark theme on a desktop. Ends with
 * a desktop and the light theme.
 *
 * @param state  what the page shows; names the check when it fails
 */
export async function expectAccessibleEverywhere(page: Page, state: string): Promise<void> {
  const findings = await checkThemes(page, state, inFull([LIGHT], [DARK, LIGHT]))
  const overlays = page.locator('[role=dialog], [role=menu], [role=listbox]')
  const before = await overlays.count()
  await look(page, 'dark', PHONE)
  await settle(page)
  findings.push(...(await findViolations(page)).map((found) => `phone: ${found}`))
  const wide = await readOverflow(page)
  if (wide > 0) findings.push(`phone: ${wide} px too wide`, ...(await findWide(page)))
  // A popover may close when the width changes. Then the phone showed the page below it.
  const isKept = (await overlays.count()) === before
  noteChecked({ state: isKept ? state : `${state} (closed)`, theme: 'dark', size: 'phone' })
  await look(page, 'light', DESKTOP)
  await settle(page)
  expect({ state, findings }).toEqual({ state, findings: [] })
}

/** Changes theme and size at once, so that the page is drawn once. */
async function look(page: Page, colorScheme: 'light' | 'dark', size: ViewportSize): Promise<void> {
  await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(size)])
}

/**
 * The same for both themes at the current size: for a state that ends when the size changes, and in a journey that goes on
 * from it. Ends with the light theme.
 */
export async function expectAccessibleInThemes(page: Page, state: string): Promise<void> {
  const findings = await checkThemes(page, state, [DARK, LIGHT])
  expect({ state, findings }).toEqual({ state, findings: [] })
}

type Check = readonly [theme: 'light' | 'dark', options: AxeOptions]
const LIGHT: Check = ['light', {}]
const DARK: Check = ['dark', { only: RULES_OF_COLORS }]

/** @returns the findings in each theme */
async function checkThemes(page: Page, state: string, checks: readonly Check[]): Promise<string[]> {
  const size = (page.viewportSize()?.width ?? DESKTOP.width) <= PHONE.width ? 'phone' : 'desktop'
  const findings: string[] = []
  for (const [theme, options] of checks) {
    await page.emulateMedia({ colorScheme: theme })
    await settle(page)
    findings.push(...(await findViolations(page, options)).map((found) => `${theme}: ${found}`))
    noteChecked({ state, theme, size })
  }
  return findings
}

/** By how many pixels the page is too wide. It follows a new width when it hears of it. */
async function readOverflow(page: Page): Promise<number> {
  const read = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  const end = Date.now() + 2_000
  let overflow = await read()
  while (overflow > 0 && Date.now() < end) {
    await page.evaluate(() => new Promise(requestAnimationFrame))
    overflow = await read()
  }
  return overflow
}

/** The innermost elements that end right of the window. */
function findWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isWide = (element: Element) => element.getBoundingClientRect().right > innerWidth + 0.5
    const wide = [...document.querySelectorAll('body *')].filter(isWide)
    return wide.filter((one) => ![...one.children].some(isWide)).map(({ outerHTML }) => outerHTML.slice(0, 200))
  })
}

/**
 * Waits until nothing is loading or moving: a list is dimmed while it is read again, and a color that fades in has less
 * contrast for that time.
 */
async function settle(page: Page): Promise<void> {
  const loading = page.locator('[aria-busy=true], [data-stale], [role=status][aria-label^=Loading]').first()
  await loading.waitFor({ state: 'detached', timeout: 30_000 }).catch(() => undefined)
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime as number))
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}
