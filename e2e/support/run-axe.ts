import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { isFull } from './scale.ts'

export interface AxeOptions {
  /** Rules that do not apply to the page. */
  readonly except?: readonly string[]
  /** Only these rules. */
  readonly only?: readonly string[]
}

/**
 * Looks of text (`readLooks`) that passed on an earlier page of this file. Measuring the contrast of one text takes longer than all
 * other rules together, and most pages show the same looks. `npm run test:full` measures every text.
 */
const passed = new Set<string>()

/**
 * Runs axe in the page. `AxeBuilder` sends the source of axe and the list of all passed checks each time, which takes
 * longer than the checks; here the source is sent once per document, and only findings come back.
 *
 * @returns serious and critical findings
 */
export async function findViolations(page: Page, { except = [], only = [] }: AxeOptions = {}): Promise<string[]> {
  await prepare(page)
  const isAsked = (rule: string) => !except.includes(rule) && (only.length === 0 || only.includes(rule))
  const others = only.filter((rule) => rule !== CONTRAST)
  const findings: string[] = []
  if (only.length === 0 || others.length > 0) {
    const skipped = [CONTRAST, ...except]
    findings.push(...(await page.evaluate(([skipped, others]) => auditing.run(skipped!, others!), [skipped, others])))
  }
  if (isAsked(CONTRAST)) {
    const known = isFull ? [] : [...passed]
    const { violations, looks } = await page.evaluate((known) => auditing.measureContrast(known), known)
    for (const look of looks) passed.add(look)
    findings.push(...violations)
  }
  return findings
}

/** Rules that can have no serious or critical finding in this version of axe; they are not run. */
export async function listMildRules(page: Page): Promise<string[]> {
  await prepare(page)
  return page.evaluate(() => auditing.listMildRules())
}

const CONTRAST = 'color-contrast'

async function prepare(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'auditing' in window))) await page.evaluate(SOURCE)
}

/** What runs in the page; it must not use anything outside of it. */
function createAuditing(axe: Axe) {
  // The only frame shows a PDF, which the browser renders.
  const common = { iframes: false, resultTypes: ['violations'] }
  const describe = (results: readonly Result[]) =>
    results
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)

  /** The impact of a rule is the impact of all its findings. A rule without one is run. */
  const listMildRules = () =>
    (axe._audit?.rules ?? []).filter(({ impact }) => impact === 'minor' || impact === 'moderate').map(({ id }) => id)

  /** @param only  these rules; all when empty */
  async function run(skipped: readonly string[], only: readonly string[]): Promise<string[]> {
    const rules = only.length > 0 ? [] : [...listMildRules(), ...skipped]
    const { violations } = await axe.run(document, {
      ...common,
      rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])),
      ...(only.length > 0 && { runOnly: { type: 'rule', values: only } }),
    })
    return describe(violations)
  }

  /** Measures the texts whose look is not known. @returns the looks that passed, too */
  async function measureContrast(known: readonly string[]) {
    const looks = readLooks(new Set(known))
    if (looks.size === 0) return { violations: [], looks: [] }
    const { violations, passes } = await axe.run(
      { include: [...looks.keys()] },
      {
        ...common,
        resultTypes: ['violations', 'passes'],
        elementRef: true,
        runOnly: { type: 'rule', values: ['color-contrast'] },
      },
    )
    const found = passes.flatMap(({ nodes }) => nodes.map(({ element }) => looks.get(element)))
    return { violations: describe(violations), looks: found.filter((look) => look !== undefined) }
  }

  /**
   * Visible elements with text, and the look of each: what its contrast depends on, from its color down to the first opaque
   * background. Without a look when something else may lie between the two; those are always measured.
   */
  function readLooks(known: ReadonlySet<string>): Map<Element, string | undefined> {
    const found = new Map<Element, string | undefined>()
    const placed = listPlaced()
    for (const element of document.querySelectorAll('body, body *')) {
      const isControl = element.matches('input, select, textarea')
      const hasText = [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim())
      if (!(hasText || isControl) || !element.checkVisibility()) continue
      const look = isControl || isOver(element, placed) ? undefined : readLook(element)
      if (look === undefined || !known.has(look)) found.set(element, look)
    }
    return found
  }

  const isFilled = ({ backgroundColor, backgroundImage }: CSSStyleDeclaration) =>
    backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none'

  /** Elements with a background of their own that lie somewhere else than on their parents. */
  function listPlaced(): { element: Element; box: DOMRect }[] {
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const style = getComputedStyle(element)
        return isFilled(style) && !isInFlow(style)
      })
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
  }

  const isOver = (element: Element, placed: readonly { element: Element; box: DOMRect }[]) => {
    const box = element.getBoundingClientRect()
    return placed.some((other) => !other.element.contains(element) && overlaps(other.box, box))
  }

  function readLook(element: Element): string | undefined {
    const own = getComputedStyle(element)
    const look = [own.color, own.webkitTextFillColor, own.fontSize, own.fontWeight, own.textShadow]
    const box = element.getBoundingClientRect()
    let isOpaque = false
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const style = getComputedStyle(at)
      // An element that changes nothing is left out, so that looks do not depend on depth.
      if (style.opacity !== '1') look.push(style.opacity)
      if (style.filter !== 'none' || style.mixBlendMode !== 'normal') return undefined
      if (isOpaque) continue
      if (hasPseudo(at)) return undefined
      if (isFilled(style)) look.push(style.backgroundColor, style.backgroundImage)
      isOpaque = style.backgroundImage === 'none' && /^rgb\(/.test(style.backgroundColor)
      if (isOpaque && !contains(at.getBoundingClientRect(), box)) return undefined
      if (!isOpaque && !isInFlow(style)) return undefined
    }
    return isOpaque ? look.join(';') : undefined
  }

  /** An element lies on its parent, and not somewhere else. */
  const isInFlow = ({ position, top, left, right, bottom, transform, translate, float }: CSSStyleDeclaration) =>
    (position === 'static' ||
      (position === 'relative' && [top, left, right, bottom].every((side) => side === 'auto' || side === '0px'))) &&
    transform === 'none' &&
    translate === 'none' &&
    float === 'none'

  const hasPseudo = (element: Element) =>
    ['::before', '::after'].some((pseudo) => getComputedStyle(element, pseudo).content !== 'none')

  const contains = (outer: DOMRect, inner: DOMRect) =>
    inner.left >= outer.left - 1 &&
    inner.right <= outer.right + 1 &&
    inner.top >= outer.top - 1 &&
    inner.bottom <= outer.bottom + 1

  const overlaps = (one: DOMRect, other: DOMRect) =>
    one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top

  return { run, measureContrast, listMildRules }
}

declare const auditing: ReturnType<typeof createAuditing>

interface Result {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly element: Element }[]
}

interface Axe {
  run(context: Document | { include: Element[] }, options: object): Promise<{ violations: Result[]; passes: Result[] }>
  /** Not part of the public interface of axe; without it, all rules are run. */
  readonly _audit?: { readonly rules: readonly { readonly id: string; readonly impact: string | null }[] }
}

const resolveFromHere = createRequire(import.meta.url).resolve
const AXE = readFileSync(createRequire(resolveFromHere('@axe-core/playwright')).resolve('axe-core/axe.min.js'), 'utf8')
const SOURCE = `${AXE};window.auditing = (${createAuditing})(window.axe)`
