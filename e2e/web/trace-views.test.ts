import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, type OpenOptions, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun, writeLargeTrace } from '../support/trace-writer.ts'

let ui: Ui
let root: WrittenRun
let loop: WrittenRun
beforeAll(async () => {
  ui = await openWorkspace()
  root = await writeAgent()
  loop = await writeStateGraph()
})
afterAll(() => ui?.stop())

const openRun = async (project: string, runId: string, search = '', options: OpenOptions = {}) => {
  const path = `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, project)}/r/${runId}${search}`
  const page = await ui.open(path, options)
  await page.getByRole('region', { name: 'Trace', exact: true }).waitFor()
  return page
}
const params = (page: Page) => new URL(page.url()).searchParams
const details = (page: Page) => page.getByRole('region', { name: 'Run details' })
const flame = (page: Page) => page.getByRole('group', { name: 'Flame chart' })

describe('the views of a trace', () => {
  it('are changed by Shift and a digit, and kept in the URL, so that Back undoes it', async () => {
    const page = await openRun('views', root.id)
    for (const [key, view, inside] of [
      ['Shift+Digit1', 'tree', page.getByRole('tree', { name: 'Runs of the trace' })],
      ['Shift+Digit3', 'flame', flame(page)],
      ['Shift+Digit4', 'graph', page.getByRole('group', { name: /^Graph of/ })],
      ['Shift+Digit5', 'thread', page.getByRole('region', { name: 'Messages of the trace' })],
    ] as const) {
      await page.keyboard.press(key)
      await inside.waitFor()
      expect(params(page).get('v')).toBe(view)
    }
    await page.keyboard.press('Shift+Digit2')
    await page.getByRole('tree', { name: 'Runs of the trace' }).waitFor()
    expect(params(page).get('v')).toBeNull()
    await page.goBack()
    await page.getByRole('region', { name: 'Messages of the trace' }).waitFor()
  })

  it.each(['flame', 'graph', 'thread'])('fit a phone: %s', async (view) => {
    const page = await openRun('views', root.id, `?v=${view}`, { size: PHONE })
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('have a legend for colors other than run types', async () => {
    const page = await openRun('views', root.id, '?colour=model')
    await page.getByRole('listitem').filter({ hasText: 'gpt-4o-mini' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'no model' }).waitFor()
  })
})

describe('the flame chart', () => {
  it('is navigated by arrow keys, and announces the selected run', async () => {
    const page = await openRun('views', root.id, '?v=flame')
    await flame(page).focus()
    await page.keyboard.press('ArrowDown')
    await details(page).getByRole('heading', { name: 'ChatModel' }).waitFor()
    await page.getByText(/^ChatModel, llm, success, .*, level 2$/).waitFor()
    await page.keyboard.press('ArrowLeft')
    await details(page).getByRole('heading', { name: 'rerank' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await details(page).getByRole('heading', { name: 'support_agent' }).waitFor()
  })

  it('zooms around the pointer, shares the time window with the lane, and selects by a click', async () => {
    const page = await openRun('views', root.id, '?v=flame')
    const box = (await flame(page).boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 9)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -240)
    await page.keyboard.up('Control')
    await expect.poll(() => params(page).get('z')).toMatch(/^\d/)
    const zoomed = params(page).get('z')
    await page.keyboard.press('Shift+Digit2')
    await page.getByRole('tree', { name: 'Runs of the trace' }).waitFor()
    expect(params(page).get('z')).toBe(zoomed)

    await page.keyboard.press('0')
    await page.keyboard.press('Shift+Digit3')
    // ChatModel runs from 400 to 1,710 of 3,420 ms, on the second level.
    await page.mouse.click(box.x + box.width * 0.3, box.y + 19 + 9)
    await details(page).getByRole('heading', { name: 'ChatModel' }).waitFor()
  })

  it('shows the figures of a run on hover', async () => {
    const page = await openRun('views', root.id, '?v=flame')
    const box = (await flame(page).boundingBox())!
    await page.mouse.move(box.x + box.width * 0.3, box.y + 19 + 9)
    await page.getByText('Share of the trace').waitFor()
  })

  it('measures time by dragging with Shift, like the lane', async () => {
    const page = await openRun('views', root.id, '?v=flame')
    const box = (await flame(page).boundingBox())!
    await page.keyboard.down('Shift')
    await page.mouse.move(box.x + 10, box.y + 9)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 10, box.y + 9, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await expect.poll(() => page.locator('output').textContent()).toMatch(/^1\.\d+ s$/)
    await expect.poll(() => new URL(page.url()).pathname).toContain(root.id)
  })
})

describe('the graph', () => {
  it('has a node per name, with counts, and is navigated by arrow keys', async () => {
    const page = await openRun('views', root.id, '?v=graph')
    const graph = page.getByRole('group', { name: /^Graph of 5 nodes and 4 edges$/ })
    await graph.locator('text', { hasText: 'rerank' }).waitFor()
    await graph.locator('text', { hasText: '×6 ·' }).waitFor()
    await graph.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => details(page).getByRole('heading').first().textContent()).not.toBe('support_agent')
  })

  it('has a table view', async () => {
    const page = await openRun('views', root.id, '?v=graph')
    await page.getByRole('button', { name: 'View as table' }).click()
    const row = page.getByRole('row').filter({ hasText: 'rerank' })
    await row.getByRole('cell', { name: '6', exact: true }).waitFor()
    await row.getByRole('button', { name: 'rerank' }).click()
    await details(page).getByRole('heading', { name: 'rerank' }).waitFor()
    expectQuietConsole(page)
  })

  it('draws the nodes of a state graph', async () => {
    const page = await openRun('states', loop.id, '?v=graph')
    await page.getByText('3 nodes of the state graph').waitFor()
    await page.getByRole('button', { name: 'Show all calls' }).click()
    await page.getByText('5 nodes by name and type').waitFor()
  })

  it('combines numbered names if there are too many', async () => {
    const large = await writeLargeTrace(ui.server.url, 'numbered', 10_000)
    const page = await openRun('numbered', large.id, '?v=graph')
    await page.getByText('names that differ only in numbers are one').waitFor()
    await page
      .getByRole('group', { name: /^Graph of/ })
      .locator('text', { hasText: 'step #' })
      .waitFor()
    await expectAccessibleInThemes(page, 'a graph of numbered names')
    expectQuietConsole(page)
  })
})

describe('the thread', () => {
  it('shows every message once, in order', async () => {
    const page = await openRun('views', root.id, '?v=thread')
    const thread = page.getByRole('region', { name: 'Messages of the trace' })
    await thread.getByText('1 to 2 of 2 model calls').waitFor()
    await thread.getByText('It was shipped.').waitFor()
    expect(await thread.getByText('Where is it?').count()).toBe(1)
    await thread.getByRole('button', { name: '2 earlier messages' }).click()
    expect(await thread.getByText('Where is it?').count()).toBe(2)
    await thread.getByRole('button', { name: 'Answer' }).click()
    await details(page).getByRole('heading', { name: 'Answer' }).waitFor()
  })
})

describe('a trace with much idle time', () => {
  it('offers to squeeze idle time, and still shows true times', async () => {
    const writer = new TraceWriter(ui.server.url, 'waiting')
    const flow = writer.add({ name: 'approval', at: [0, 100_000] })
    writer.add({ parent: flow, name: 'ask', type: 'llm', at: [0, 900] })
    writer.add({ parent: flow, name: 'answer', type: 'llm', at: [99_000, 100_000] })
    await writer.send()
    const page = await openRun('waiting', flow.id)
    const answer = page.getByRole('treeitem').filter({ hasText: 'answer' })
    await page.getByRole('button', { name: /^Squeeze idle time/ }).click()
    await page.getByRole('button', { name: 'Idle time is squeezed', pressed: true }).waitFor()
    expect(params(page).get('squeeze')).toBe('1')
    await answer.getByText('1.00 s').waitFor()
    expectQuietConsole(page)
    await page.goBack()
    await page.getByRole('button', { name: /^Squeeze idle time/, pressed: false }).waitFor()
  })

  it('does not offer it with little idle time', async () => {
    const page = await openRun('views', root.id)
    await page.getByRole('button', { name: 'Display' }).waitFor()
    expect(await page.getByRole('button', { name: /^Squeeze idle time/ }).count()).toBe(0)
  })
})

describe('searching a trace', () => {
  it('finds text in payloads', async () => {
    const page = await openRun('views', root.id)
    await page.getByRole('searchbox', { name: 'Search runs' }).fill('shipped')
    await page.getByText('1 of 10').waitFor()
    await page.getByRole('treeitem').filter({ hasText: 'Answer' }).waitFor()
  })
})

describe('a trace that is still running', () => {
  it('follows the latest run while following is on', async () => {
    const writer = new TraceWriter(ui.server.url, 'followed', Date.now())
    const live = writer.add({ name: 'live_agent', at: [0] })
    await writer.send()
    const page = await openRun('followed', live.id)
    await page.getByText('1 running').waitFor()
    await page.getByRole('button', { name: 'Follow the newest run' }).click()
    writer.add({ parent: live, name: 'newest_step', at: [10, 20] })
    await writer.send()
    await details(page).getByRole('heading', { name: 'newest_step' }).waitFor()
  })

  it('marks a run without an end event', async () => {
    const writer = new TraceWriter(ui.server.url, 'lost', Date.now() - 11 * 60_000)
    const lost = writer.add({ name: 'lost_agent', at: [0] })
    writer.add({ parent: lost, name: 'done', at: [10, 30] })
    await writer.send()
    const page = await openRun('lost', lost.id)
    await page.getByText('1 without an end event').waitFor()
    await page.getByRole('treeitem').first().getByText('no end event', { exact: true }).waitFor()
    expectQuietConsole(page)
  })
})

/** Ten runs: an agent, two model calls of which the second repeats the first, a failed tool and six equal runs. */
async function writeAgent(): Promise<WrittenRun> {
  const writer = new TraceWriter(ui.server.url, 'views')
  const agent = writer.add({ name: 'support_agent', at: [0, 3_420] })
  writer.add({ parent: agent, name: 'lookup', type: 'tool', at: [40, 240], error: 'TimeoutError: no answer' })
  for (let i = 0; i < 6; i++) {
    writer.add({ parent: agent, name: 'rerank', type: 'tool', at: [300 + i * 10, 308 + i * 10] })
  }
  const asked = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Where is it?' },
  ]
  const answered = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }], usage: USAGE })
  const model = { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } }
  const called = {
    ...{ parent: agent, name: 'ChatModel', type: 'llm', at: [400, 1_710] as [number, number] },
    ...{ inputs: { messages: asked }, outputs: answered('Let me look.'), extra: model },
  }
  writer.add(called)
  const repeated = [...asked, { role: 'user', content: 'Well?' }]
  writer.add({
    ...{ parent: agent, name: 'Answer', type: 'llm', at: [1_800, 2_700] },
    ...{ inputs: { messages: repeated }, outputs: answered('It was shipped.'), extra: model },
  })
  await writer.send()
  return agent
}

/** A loop of two nodes and a last node, each with a model call. */
async function writeStateGraph(): Promise<WrittenRun> {
  const writer = new TraceWriter(ui.server.url, 'states')
  const graph = writer.add({ name: 'LangGraph', at: [0, 600] })
  for (const [index, node] of ['plan', 'act', 'plan', 'act', 'tell'].entries()) {
    const extra = { metadata: { langgraph_node: node, langgraph_step: index + 1 } }
    const at: [number, number] = [index * 100, index * 100 + 90]
    const run = writer.add({ parent: graph, name: node, at, extra })
    writer.add({ parent: run, name: 'ChatModel', type: 'llm', at, extra })
  }
  await writer.send()
  return graph
}

const USAGE = { prompt_tokens: 1200, completion_tokens: 312, total_tokens: 1512 }
