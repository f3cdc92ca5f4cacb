import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Look, PagePool } from '../support/page-pool.ts'
import { openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const LOOK: Look = { viewport: { width: 1000, height: 700 }, colorScheme: 'light', reducedMotion: 'reduce' }

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
})
afterAll(() => ui?.stop())

it('gives a page again without anything of its earlier use', async () => {
  const pool = new PagePool(ui.browser, ui.server.url)
  onTestFinished(() => pool.close())
  const first = await pool.take(LOOK)
  const heard: string[] = []
  first.page.on('console', (message) => heard.push(message.text()))
  await first.page.route('**/ok', (route) => route.fulfill({ status: 418 }))
  await first.page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
  await first.page.setViewportSize(PHONE)
  await first.page.context().addCookies([{ name: 'a', value: 'b', url: ui.server.url }])
  await first.page.evaluate(() => {
    localStorage.setItem('a', 'b')
    sessionStorage.setItem('a', 'b')
    window.open('about:blank')
    history.pushState(null, '', '?next')
  })
  await first.release(true)

  const { page, release } = await pool.take(LOOK)
  expect(page).toBe(first.page)
  const state = await page.evaluate(async () => {
    console.log('said later')
    return {
      stored: [localStorage.length, sessionStorage.length, document.cookie],
      media: ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query).matches),
      size: [innerWidth, innerHeight],
      status: (await fetch('/ok')).status,
      addresses: history.length,
    }
  })
  expect(state).toEqual({ stored: [0, 0, ''], media: [false, false], size: [1000, 700], status: 200, addresses: 1 })
  expect({ heard, pages: page.context().pages().length }).toEqual({ heard: [], pages: 1 })
  await release(false)
})

it('closes a page that cannot be reset, or whose test failed', async () => {
  const pool = new PagePool(ui.browser, ui.server.url)
  onTestFinished(() => pool.close())
  const changed = await pool.take(LOOK)
  await changed.page.addInitScript(() => localStorage.setItem('a', 'b'))
  await changed.release(true)
  const failed = await pool.take(LOOK)
  await failed.release(false)
  const kept = await pool.take(LOOK)
  expect([changed.page.isClosed(), failed.page.isClosed(), kept.page.isClosed()]).toEqual([true, true, false])
  await kept.release(true)
  expect((await pool.take(LOOK)).page).toBe(kept.page)
})

it('gives two uses at once a page each', async () => {
  const pool = new PagePool(ui.browser, ui.server.url)
  onTestFinished(() => pool.close())
  const [one, other] = await Promise.all([pool.take(LOOK), pool.take(LOOK)])
  expect(one.page).not.toBe(other.page)
  expect(one.page.context()).not.toBe(other.page.context())
})
