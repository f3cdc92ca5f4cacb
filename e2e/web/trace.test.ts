import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, type OpenOptions, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun, writeLargeTrace } from '../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
})
afterAll(() => ui?.stop())

const pathOf = async (project: string, runId: string, search = '') =>
  `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, project)}/r/${runId}${search}`

const openRun = async (project: string, runId: string, search = '', options: OpenOptions = {}) => {
  const page = await ui.open(await pathOf(project, runId, search), options)
  await page.getByRole('tree', { name: 'Runs of the trace' }).waitFor()
  return page
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Runs of the trace' })
const selected = (page: Page) => tree(page).locator('[aria-selected=true]')
const panel = (page: Page) => page.getByRole('region', { name: 'Run details' })
const mountedRows = (page: Page) => tree(page).getByRole('treeitem').count()
const isInView = (page: Page) =>
  selected(page).evaluate((row) => {
    const box = row.closest('[role=tree]')!.getBoundingClientRect()
    const { top, bottom } = row.getBoundingClientRect()
    return top >= box.top - 1 && bottom <= box.bottom + 1
  })

describe('a trace of 10,000 runs', () => {
  let root: WrittenRun
  beforeAll(async () => {
    root = await writeLargeTrace(ui.server.url, 'large', 10_000)
  })

  it('counts all runs, and renders only those in view', async () => {
    const page = await openRun('large', root.id)
    await page.getByText('10,000 / 10,000 runs').waitFor()
    expect(await mountedRows(page)).toBeLessThanOrEqual(60)
    await tree(page).evaluate((box) => box.scrollTo(0, 100_000))
    await expect.poll(() => mountedRows(page)).toBeGreaterThan(20)
    expect(await mountedRows(page)).toBeLessThanOrEqual(60)
    expectQuietConsole(page)
  })

  it('is searched by name and by error, with keys to the next match', async () => {
    const page = await openRun('large', root.id)
    const search = page.getByRole('searchbox', { name: 'Search runs' })
    await search.fill('boom 3988')
    await page.getByText('1 of 10,000').waitFor()
    await search.press('Enter')
    await selected(page).getByText('Boom 3988').waitFor()
    await panel(page).getByText('Boom 3988').first().waitFor()
    // The URL follows typing after a moment, so that each letter does not add a history entry.
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('boom 3988')

    await page.reload()
    await page.getByText('1 of 10,000').waitFor()
    await selected(page).getByText('Boom 3988').waitFor()
  })

  it('is navigated by keys from error to error, with the selected run in view', async () => {
    const page = await openRun('large', root.id)
    for (const number of [997, 1994, 3988]) {
      await page.keyboard.press('e')
      await selected(page).getByText(`Boom ${number}`).waitFor()
      await expect.poll(() => isInView(page)).toBe(true)
    }
    await page.keyboard.press('Shift+E')
    await selected(page).getByText('Boom 1994').waitFor()
    await page.keyboard.press('u')
    await selected(page)
      .getByText(/^step /)
      .waitFor()
    // As fast as a held key: no step may be lost.
    for (const key of ['j', 'j', 'j', 'j', 'k', 'k', 'k']) await page.keyboard.press(key)
    await selected(page).getByText('ChatModel').waitFor()
    await expect.poll(() => isInView(page)).toBe(true)
    await expect.poll(() => page.url()).toContain(`trace_id=${root.id}`)
  })

  it('expands and collapses by arrow keys while the tree has the focus', async () => {
    const page = await openRun('large', root.id)
    await tree(page).focus()
    await page.keyboard.press('ArrowDown')
    await selected(page).getByText('step 1', { exact: true }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => selected(page).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await selected(page).getByText('step 11', { exact: true }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await selected(page).getByText('agent_loop').waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => isInView(page)).toBe(true)
  })

  it('zooms in time, and keeps the time window in the URL', async () => {
    const page = await openRun('large', root.id)
    await page.keyboard.press('w')
    await page.keyboard.press('w')
    await expect.poll(() => new URL(page.url()).searchParams.get('z')).toMatch(/^\d+(\.\d+)?-\d+/)
    await page.keyboard.press('0')
    await expect.poll(() => new URL(page.url()).searchParams.get('z')).toBeNull()
  })

  it('filters by run type', async () => {
    const page = await openRun('large', root.id, '?types=llm')
    await page.getByText('3,000 of 10,000').waitFor()
  })
})

describe('a trace in the dark, and on a phone', () => {
  let root: WrittenRun
  beforeAll(async () => {
    const writer = new TraceWriter(ui.server.url, 'agent')
    root = writer.add({ name: 'support_agent', at: [0, 3_420] })
    writer.add({
      parent: root,
      name: 'lookup',
      type: 'tool',
      at: [40, 240],
      error:
        'TimeoutError: no answer\n    at lookup (/app/tools.ts:18:11)\n    at fetch (/app/node_modules/x/y.js:1:1)',
    })
    for (let i = 0; i < 6; i++)
      writer.add({ parent: root, name: 'rerank', type: 'tool', at: [300 + i * 10, 308 + i * 10] })
    writer.add({ parent: root, name: 'ChatModel', type: 'llm', at: [400, 1_710], ...CHAT })
    await writer.send()
  })

  it('opens a failed run with its error', async () => {
    const page = await openRun('agent', root.id, '')
    const strip = page.getByRole('region', { name: 'Failed runs' })
    await strip.getByText('1 run failed').waitFor()
    await strip.getByRole('button', { name: 'lookup: TimeoutError: no answer' }).click()
    await selected(page).getByText('lookup').waitFor()
    await page.getByRole('tab', { name: 'Events & error', selected: true }).waitFor()
    await panel(page).getByText('at lookup (/app/tools.ts:18:11)').waitFor()
    await panel(page)
      .getByRole('button', { name: /in libraries/ })
      .click()
    await panel(page).getByText('node_modules/x/y.js').waitFor()
    expectQuietConsole(page)
  })

  it('stacks the bar under the name on a phone', async () => {
    const page = await openRun('agent', root.id, '', { size: PHONE })
    const row = tree(page).getByRole('treeitem').first()
    expect((await row.boundingBox())!.height).toBe(44)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('folds similar siblings and expands them by a click', async () => {
    const page = await openRun('agent', root.id)
    const fold = tree(page).getByRole('treeitem').filter({ hasText: '×6' })
    await fold.click()
    await expect.poll(() => tree(page).getByText('rerank').count()).toBe(7)
    await fold.click()
    await expect.poll(() => tree(page).getByText('rerank').count()).toBe(1)
  })

  it('renders a conversation as inert text', async () => {
    const foreign: string[] = []
    const page = await openRun('agent', root.id, '')
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(ui.server.url) && !url.startsWith('data:')) foreign.push(url)
    })
    await tree(page).getByText('ChatModel').click()
    const chat = panel(page)
    await chat.getByText('Settings', { exact: true }).waitFor()

    await chat.getByText('shipped').waitFor()
    expect(await chat.locator('script, iframe, object').count()).toBe(0)
    const readLinks = () =>
      chat
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]))
    // The link to the tool run comes with the runs of the trace.
    await expect.poll(readLinks).toEqual([
      [expect.stringMatching(/^\/o\/[^/]+\/projects\/p\/.*\/r\//), null],
      ['https://docs.example/', 'noopener noreferrer nofollow'],
    ])
    expect(await page.evaluate(() => (window as { hacked?: boolean }).hacked)).toBeUndefined()
    await chat.getByRole('button', { name: 'Load image from evil.example' }).waitFor()
    expectQuietConsole(page)
    expect(foreign).toEqual([])

    await page.keyboard.press('r')
    await chat.getByRole('tree', { name: 'inputs and outputs' }).waitFor()
    await chat.getByText('12345678901234567890').waitFor()
    await page.keyboard.press('r')
    await chat.getByText('Settings', { exact: true }).waitFor()
  })

  it('keeps tab and view in the URL, so that Back undoes them', async () => {
    const page = await openRun('agent', root.id)
    await page.keyboard.press('3')
    await page.getByRole('tab', { name: 'Metadata', selected: true }).waitFor()
    await page.keyboard.press('7')
    await page.getByRole('tab', { name: 'Raw', selected: true }).waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Metadata', selected: true }).waitFor()
  })
})

describe('a cost that the provider reports', () => {
  it.each([
    ['is marked where no price is known', 'acme-private-1', 'Tokens and cost by class (cost reported)'],
    ['stands beside a computed one with their difference', 'gpt-4o', '$0.02, 567% more than computed'],
  ])('%s', async (_, model, text) => {
    const writer = new TraceWriter(ui.server.url, `reported-${model}`)
    const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, cost: 0.02 }
    const extra = { metadata: { ls_model_name: model } }
    const run = writer.add({ name: 'call', type: 'llm', outputs: { usage }, extra })
    await writer.send()
    const page = await openRun(`reported-${model}`, run.id)
    await panel(page).getByText(text).waitFor()
    expectQuietConsole(page)
  })
})

describe('sums with a cost that the provider reports, and a clock that went backwards', () => {
  it('are marked in the list, in the header of the trace and in the run', async () => {
    const writer = new TraceWriter(ui.server.url, 'marked')
    const root = writer.add({ name: 'agent', at: [0, -500] })
    const usage = { prompt_tokens: 100_000, completion_tokens: 5000, total_tokens: 105_000 }
    // They start together and are sent in another order than they end.
    writer.add({ parent: root, name: 'send', type: 'tool', at: [10, 90] })
    const calls = [
      { outputs: { usage: { ...usage, cost: 0.5 } }, extra: { metadata: { ls_model_name: 'acme-private-2' } } },
      { outputs: { usage }, extra: { metadata: { ls_model_name: 'gpt-4o' } } },
    ]
    for (const [at, call] of calls.entries()) {
      writer.add({ parent: root, name: `call ${at}`, type: 'llm', at: [10, 60 - at], ...call })
    }
    await writer.send()

    const list = await ui.open(`/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'marked')}?t=all`)
    await list.getByText('0 ms, the clock went backwards').waitFor()
    await list.getByText('of it $0.50 reported by the client').waitFor()
    const page = await openRun('marked', root.id)
    await page.getByText('$0.80 ($0.50 reported)').waitFor()
    await panel(page).getByText('clock went backwards').waitFor()
    await panel(page).getByText('($0.50 reported)').waitFor()
    const names = await tree(page).getByRole('treeitem').allTextContents()
    expect(names.map((name) => /agent|send|call \d/.exec(name)?.[0])).toEqual(['agent', 'call 1', 'call 0', 'send'])
    expectQuietConsole(page)
  })
})

describe('a link of a client', () => {
  it('waits for a run that is not stored yet, and then removes `poll` from the URL', async () => {
    const writer = new TraceWriter(ui.server.url, 'late')
    const before = new TraceWriter(ui.server.url, 'late')
    before.add({ name: 'earlier' })
    await before.send()
    const run = writer.add({ name: 'just_sent', inputs: { question: 'are you there?' } })
    const page = await ui.open(await pathOf('late', run.id, '?poll=true'))
    await page.getByRole('heading', { name: 'Waiting for this run' }).waitFor()

    await writer.send()
    await page.getByRole('heading', { name: 'just_sent' }).first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('poll')).toBe(false)
  })

  it('to a run of another project opens the right project', async () => {
    const writer = new TraceWriter(ui.server.url, 'right')
    const run = writer.add({ name: 'moved' })
    await writer.send()
    const other = new TraceWriter(ui.server.url, 'wrong')
    other.add({ name: 'other' })
    await other.send()
    const page = await ui.open(await pathOf('wrong', run.id))
    await page.waitForURL(`**${await pathOf('right', run.id)}**`)
    await page.getByRole('heading', { name: 'moved' }).first().waitFor()
  })

  it('to an unknown run shows "not found"', async () => {
    const page = await ui.open(await pathOf('right', randomUUID()))
    await page.getByText('This run was not found').waitFor()
  })
})

describe('a trace that is still running', () => {
  it('grows in place', async () => {
    const writer = new TraceWriter(ui.server.url, 'live', Date.now())
    const root = writer.add({ name: 'live_agent', at: [0] })
    await writer.send()
    const page = await openRun('live', root.id)
    await page.getByText('1 / 1 run').waitFor()
    writer.add({ parent: root, name: 'second_step', at: [10, 20] })
    await writer.send()
    await page.getByText('2 / 2 runs').waitFor()
    await tree(page).getByText('second_step').waitFor()
  })
})

describe('a payload of 18 MB', () => {
  let root: WrittenRun
  beforeAll(async () => {
    const writer = new TraceWriter(ui.server.url, 'huge')
    const item = { tags: ['red', 'green'], nested: { text: 'x'.repeat(150) } }
    const items = Array.from({ length: 80_000 }, (_, i) => ({ i, ...item }))
    root = writer.add({ name: 'huge_payload', inputs: { items }, outputs: { id: 'needle' } })
    await writer.send()
  })

  it('opens, is searched and linked without blocking the page', async () => {
    const page = await openRun('huge', root.id, '?tab=io')
    const json = page.getByRole('tree', { name: 'inputs and outputs' })
    await json.getByText('[80,000]').waitFor()
    await page.evaluate(watchLongTasks)

    await page.getByRole('searchbox', { name: 'Search inputs and outputs' }).fill('needle')
    await page.getByText('1 hit').waitFor()
    await page.keyboard.press('Enter')
    await json.locator('[aria-selected=true]').getByText('needle').waitFor()

    await json.getByText('[80,000]').click()
    await expect.poll(() => json.evaluate((box) => box.scrollHeight)).toBeGreaterThan(1_000_000)
    await json.evaluate((box) => box.scrollTo(0, 800_000))
    await json.getByText('40000', { exact: false }).first().waitFor()
    expect(await json.getByRole('treeitem').count()).toBeLessThanOrEqual(80)
    expect(await page.evaluate(() => (window as unknown as { longest: number }).longest)).toBeLessThan(400)
    expectQuietConsole(page)
  })

  it('shows the value of a link', async () => {
    const page = await openRun('huge', root.id, '?tab=io&path=inputs.items[71234].nested.text')
    const value = page.getByRole('tree', { name: 'inputs and outputs' }).locator('[aria-selected=true]')
    await value.getByText('text').waitFor()
  })
})

function watchLongTasks() {
  const seen = window as unknown as { longest: number }
  seen.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
  }).observe({ entryTypes: ['longtask'] })
}

const CHAT = {
  inputs: {
    messages: [
      { role: 'system', content: '<script>window.hacked = true</script> Be kind.' },
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"order":88}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
    ],
    order: 'number:12345678901234567890',
  },
  outputs: {
    choices: [
      {
        message: {
          role: 'assistant',
          content:
            'Open **Settings**\nthen look.\n\n[docs](https://docs.example/) [bad](javascript:window.hacked=true) ![x](https://evil.example/x.png)\n\n<img src=x onerror="window.hacked=true"><iframe src="https://evil.example"></iframe>',
        },
      },
    ],
    usage: { prompt_tokens: 1200, completion_tokens: 312, total_tokens: 1512 },
  },
  extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } },
}
