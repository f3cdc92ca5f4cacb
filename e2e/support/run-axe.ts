import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { inFull, isFull } from './scale.ts'

export interface AxeOptions {
  /** Rules that do not apply to the page. */
  readonly except?: readonly string[]
  /** Only these rules. */
  readonly only?: readonly string[]
}

/**
 * Looks of text (`readLooks`) that passed on an earlier page of this process. Measuring the contrast of one text takes longer than all
 * other rules together, and most pages show the same looks. `npm run test:full` measures every text.
 */
const passed = new Set<string>()

/**
 * Runs axe in the page, once for all rules: most of the time of a short run goes into reading the document. `AxeBuilder` sends the
 * source of axe and the list of all passed checks each time, which takes longer than the checks; here the source is sent once per
 * document, and only findings come back.
 *
 * @returns serious and critical findings
 */
export async function findViolations(page: Page, { except = [], only = [] }: AxeOptions = {}): Promise<string[]> {
  const audit: Audit = { except, only, known: isFull ? [] : [...passed], ofLook: inFull(3, Infinity) }
  const run = () => page.evaluate((audit) => ('auditing' in window ? auditing.run(audit) : undefined), audit)
  let result = await run()
  if (result === undefined) {
    await page.evaluate(SOURCE)
    result = await run()
  }
  if (result === undefined) throw new Error('The page was replaced while it was checked')
  for (const look of result.looks) passed.add(look)
  return result.violations
}

/** Rules that can have no serious or critical finding in this version of axe; they are not run. */
export async function listMildRules(page: Page): Promise<string[]> {
  await prepare(page)
  return page.evaluate(() => auditing.listMildRules())
}

async function prepare(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'auditing' in window))) await page.evaluate(SOURCE)
}

interface Audit {
  readonly except: readonly string[]
  /** Only these rules; all when empty. */
  readonly only: readonly string[]
  /** Looks whose contrast is known to be enough. */
  readonly known: readonly string[]
  /** How many texts of a page with the same look are measured at most. */
  readonly ofLook: number
}

/** What runs in the page; it must not use anything outside of it. */
function createAuditing(axe: Axe) {
  const CONTRAST = 'color-contrast'
  const describe = (results: readonly Result[]) =>
    results
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)

  /** The impact of a rule is the impact of all its findings. A rule without one is run. */
  const listMildRules = () =>
    axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate').map(({ id }) => id)

  async function run({ except, only, known, ofLook }: Audit) {
    const isAsked = !except.includes(CONTRAST) && (only.length === 0 || only.includes(CONTRAST))
    const wanted = isAsked ? readLooks(new Set(known)) : new Map<Element, string | undefined>()
    const skipped = wanted.size === 0 ? [...except, CONTRAST] : except
    const rules = only.length > 0 ? only.filter((rule) => !skipped.includes(rule)) : [...listMildRules(), ...skipped]
    if (only.length > 0 && rules.length === 0) return { violations: [], looks: [] }
    const { result, measured } = await measureOnly(wanted, ofLook, () =>
      axe.run(document, {
        // The only frame shows a PDF, which the browser renders.
        iframes: false,
        elementRef: true,
        resultTypes: ['violations', 'incomplete'],
        ...(only.length > 0
          ? { runOnly: { type: 'rule', values: rules } }
          : { rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])) }),
      }),
    )
    for (const { id, nodes } of [...result.violations, ...result.incomplete]) {
      if (id === CONTRAST) for (const { element } of nodes) measured.delete(element)
    }
    const looks = [...measured].map((element) => wanted.get(element))
    return { violations: describe(result.violations), looks: looks.filter((look) => look !== undefined) }
  }

  /**
   * Measures the contrast of some texts only, and of those with the same look only a few: axe may have no result for one of them.
   *
   * @returns those that axe measured; it leaves out disabled controls, for example
   */
  async function measureOnly(
    wanted: ReadonlyMap<Element, string | undefined>,
    ofLook: number,
    run: () => Promise<Results>,
  ) {
    const rule = axe._audit.rules.find(({ id }) => id === CONTRAST)
    if (rule === undefined) throw new Error(`axe has no rule ${CONTRAST}`)
    const { matches } = rule
    const measured = new Set<Element>()
    const counts = new Map<string, number>()
    rule.matches = (element, ...rest) => {
      const look = wanted.get(element)
      const count = look === undefined ? 0 : (counts.get(look) ?? 0)
      const isMatch = wanted.has(element) && count < ofLook && matches.call(rule, element, ...rest)
      if (isMatch) measured.add(element)
      if (isMatch && look !== undefined) counts.set(look, count + 1)
      return isMatch
    }
    try {
      return { result: await run(), measured }
    } finally {
      rule.matches = matches
    }
  }

  /**
   * Visible elements with text, and the look of each: what its contrast depends on, from its color down to the first opaque
   * background. Without a look when something else may lie between the two; those are always measured. What is in
   * front of a text, such as a dialog, changes nothing: axe measures as if it were not there.
   */
  function readLooks(known: ReadonlySet<string>): Map<Element, string | undefined> {
    const found = new Map<Element, string | undefined>()
    const placed = listPlaced()
    for (const element of document.querySelectorAll('body, body *')) {
      const isControl = element.matches('input, select, textarea')
      const hasText = [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim())
      if (!(hasText || isControl) || !element.checkVisibility()) continue
      const look = readLook(element, placed)
      if (look === undefined || !known.has(look)) found.set(element, look)
    }
    return found
  }

  const isFilled = ({ backgroundColor, backgroundImage }: CSSStyleDeclaration) =>
    backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none'

  /** Elements with a background of their own that lie somewhere else than on their parents. */
  type Placed = readonly { element: Element; box: DOMRect }[]

  function listPlaced(): Placed {
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const style = getComputedStyle(element)
        return isFilled(style) && !isInFlow(style)
      })
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
  }

  /** Whether another element may lie between a text and the background of one of its parents. */
  function isOver(box: DOMRect, element: Element, ground: Element, placed: Placed): boolean {
    const others = placed.filter((other) => !other.element.contains(element) && overlaps(other.box, box))
    if (others.length === 0) return false
    // What is outside of a stacking context lies below or in front of all of it.
    let layer: Element | null = ground
    while (layer !== null && !isStacked(getComputedStyle(layer))) layer = layer.parentElement
    const within = others.filter((other) => layer === null || layer.contains(other.element))
    if (within.length === 0) return false
    const front = listInFront(element, box)
    return !within.every((other) => contains(other.box, box) && front.includes(other.element))
  }

  /** Elements that lie in front of the middle of another one, such as a dialog. */
  function listInFront(element: Element, box: DOMRect): readonly Element[] {
    const hit = document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
    const at = hit.findIndex((one) => element.contains(one))
    if (at >= 0) return hit.slice(0, at)
    // A modal layer hides the rest of the page from the pointer.
    const hidden = element.closest('[data-aria-hidden=true]')
    return hidden === null ? [] : hit.filter((one) => !hidden.contains(one) && !one.contains(hidden))
  }

  const isStacked = ({ position, zIndex, contain, transform, translate, isolation }: CSSStyleDeclaration) =>
    position === 'fixed' ||
    position === 'sticky' ||
    (position !== 'static' && zIndex !== 'auto') ||
    /strict|content|paint|layout/.test(contain) ||
    transform !== 'none' ||
    translate !== 'none' ||
    isolation === 'isolate'

  function readLook(element: Element, placed: Placed): string | undefined {
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
      if (isOpaque && (!contains(at.getBoundingClientRect(), box) || isOver(box, element, at, placed))) return undefined
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
    ['::before', '::after'].some((pseudo) => {
      const style = getComputedStyle(element, pseudo)
      return style.content !== 'none' && isFilled(style)
    })

  const contains = (outer: DOMRect, inner: DOMRect) =>
    inner.left >= outer.left - 1 &&
    inner.right <= outer.right + 1 &&
    inner.top >= outer.top - 1 &&
    inner.bottom <= outer.bottom + 1

  const overlaps = (one: DOMRect, other: DOMRect) =>
    one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top

  return { run, listMildRules }
}

declare const auditing: ReturnType<typeof createAuditing>

interface Result {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly element: Element }[]
}

interface Results {
  readonly violations: readonly Result[]
  readonly incomplete: readonly Result[]
}

interface Rule {
  readonly id: string
  readonly impact: string | null
  /** Whether the rule applies to an element. */
  matches(element: Element, ...rest: unknown[]): boolean
}

interface Axe {
  run(context: Document, options: object): Promise<Results>
  /** Not part of the public interface of axe. */
  readonly _audit: { readonly rules: readonly Rule[] }
}

const resolveFromHere = createRequire(import.meta.url).resolve
const AXE = readFileSync(createRequire(resolveFromHere('@axe-core/playwright')).resolve('axe-core/axe.min.js'), 'utf8')
const SOURCE = `${AXE};window.auditing = (${createAuditing})(window.axe)`
