import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { findViolations, listMildRules } from '../../support/run-axe.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

async function show(body: string): Promise<Page> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.setContent(`<!doctype html><html lang="en"><title>A page</title><body style="background: #fff">${body}`)
  return page
}

const contrastOf = async (page: Page) =>
  (await findViolations(page, { only: ['color-contrast'] })).join().match(/id="\w+"/g) ?? []

const GRAY = 'color: #999'
const DARK = 'color: #333'

it('does not run the rules that can have no serious finding, and no others', async () => {
  const page = await show('<main>text</main>')
  expect((await listMildRules(page)).sort()).toMatchInlineSnapshot(`
    [
      "aria-allowed-role",
      "aria-deprecated-role",
      "duplicate-id",
      "empty-heading",
      "empty-table-header",
      "focus-order-semantics",
      "form-field-multiple-labels",
      "heading-order",
      "hidden-content",
      "html-xml-lang-mismatch",
      "identical-links-same-purpose",
      "image-redundant-alt",
      "landmark-banner-is-top-level",
      "landmark-complementary-is-top-level",
      "landmark-contentinfo-is-top-level",
      "landmark-main-is-top-level",
      "landmark-no-duplicate-banner",
      "landmark-no-duplicate-contentinfo",
      "landmark-no-duplicate-main",
      "landmark-one-main",
      "landmark-unique",
      "meta-refresh-no-exceptions",
      "meta-viewport",
      "meta-viewport-large",
      "no-autoplay-audio",
      "page-has-heading-one",
      "presentation-role-conflict",
      "region",
      "scope-attr-valid",
      "server-side-image-map",
      "skip-link",
      "table-duplicate-name",
    ]
  `)
})

it('finds what is serious, and not what is moderate', async () => {
  const page = await show('<h3>deep</h3><button></button><img src="data:,"><ul><div>no item</div></ul>')
  const found = (await findViolations(page)).map((finding) => finding.split(':')[0])
  expect(found.sort()).toEqual(['button-name', 'image-alt', 'list'])
})

it('measures each text that has a new color, background, size or weight', async () => {
  const known = `<p id="first" style="${DARK}">dark on white</p>`
  expect(await contrastOf(await show(known))).toEqual([])
  expect(await contrastOf(await show(`${known}<p id="color" style="${GRAY}">gray</p>`))).toEqual(['id="color"'])
  const inDark = `<div style="background: #444"><p id="ground" style="${DARK}">dark on dark</p></div>`
  expect(await contrastOf(await show(known + inDark))).toEqual(['id="ground"'])
  const faded = `<div style="opacity: 0.4"><p id="faded" style="${DARK}">faded</p></div>`
  expect(await contrastOf(await show(known + faded))).toEqual(['id="faded"'])
  const large = `<p id="large" style="color: #888; font-size: 30px">large</p>`
  expect(await contrastOf(await show(large))).toEqual([])
  const small = `<p id="small" style="color: #888; font-size: 12px">small</p>`
  expect(await contrastOf(await show(large + small))).toEqual(['id="small"'])
})

it('measures a text that was placed on another background than that of its parents', async () => {
  const text = (style: string) => `<p id="placed" style="${DARK}; margin: 0; ${style}">dark</p>`
  expect(await contrastOf(await show(text('')))).toEqual([])
  const ground =
    '<div style="background: #444; position: absolute; left: 0; top: 100px; width: 300px; height: 90px"></div>'
  for (const style of [
    'position: absolute; left: 9px; top: 110px',
    'position: relative; top: 110px; width: 90px',
    'transform: translateY(110px); width: 90px',
  ]) {
    expect({ style, found: await contrastOf(await show(ground + text(style))) }).toEqual({
      style,
      found: ['id="placed"'],
    })
  }
})

it('measures a text below which another element was placed', async () => {
  const bar = '<i style="background: #444; position: absolute; inset: 0"></i>'
  const text = `<span id="cell" style="${DARK}; position: relative">dark</span>`
  const cell = (below: string) => `<div style="position: relative; background: #fff">${below}${text}</div>`
  expect(await contrastOf(await show(cell('')))).toEqual([])
  expect(await contrastOf(await show(cell(bar)))).toEqual(['id="cell"'])
})

it('measures the text of a control by its look', async () => {
  expect(await contrastOf(await show(`<p id="first" style="${DARK}; font-size: 13px">dark</p>`))).toEqual([])
  const control = (style: string) =>
    `<input id="control" aria-label="name" value="gray" style="${style}; background: #fff">`
  expect(await contrastOf(await show(control(DARK)))).toEqual([])
  expect(await contrastOf(await show(control(GRAY)))).toEqual(['id="control"'])
})

it('measures the texts of a dialog, and those below it that did not pass without it', async () => {
  const dialog = (
    style: string,
  ) => `<div style="position: fixed; inset: 0; z-index: 5; background: rgb(0 0 0 / 0.4)"></div>
    <div role="dialog" aria-label="over" style="position: fixed; z-index: 5; inset: 20px; background: #fff">
    <p id="inside" style="${style}">inside</p></div>`
  const below = `<p id="below" style="${GRAY}; font-size: 15px">below</p>`
  expect(await contrastOf(await show(below))).toEqual(['id="below"'])
  expect(await contrastOf(await show(below + dialog(`${DARK}; font-size: 15px`)))).toEqual(['id="below"'])
  expect(await contrastOf(await show(dialog(`${GRAY}; font-size: 15px`)))).toEqual(['id="inside"'])
})

it('measures a text between which and its background an element of the same layer lies', async () => {
  const bar = '<i style="background: #444; position: absolute; inset: 0"></i>'
  const text = `<span id="cell" style="${DARK}; position: relative">dark</span>`
  const layer = (below: string, beside: string) =>
    `<div style="position: relative; z-index: 1; background: #fff">${below}${text}</div>${beside}`
  expect(await contrastOf(await show(layer('', '')))).toEqual([])
  expect(await contrastOf(await show(layer('', bar)))).toEqual([])
  expect(await contrastOf(await show(layer(bar, '')))).toEqual(['id="cell"'])
})

it('finds a text again that failed before', async () => {
  for (let time = 0; time < 2; time++) {
    expect(await contrastOf(await show(`<p id="gray" style="${GRAY}">gray</p>`))).toEqual(['id="gray"'])
  }
})

it('takes over nothing from a text that axe leaves out', async () => {
  const text = (attributes: string) => `<p id="gray" style="${GRAY}; font-size: 17px"${attributes}>gray</p>`
  expect(await contrastOf(await show(text(' aria-disabled="true"')))).toEqual([])
  expect(await contrastOf(await show(text('')))).toEqual(['id="gray"'])
})
