import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { actOnRow, jsonRow, jsonTree } from '../support/json-tree.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
})
afterAll(() => ui?.stop())

const open = async (project: string, run: WrittenRun, search: string) =>
  ui.open(`/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, project)}/r/${run.id}${search}`)
describe('a value of a run', () => {
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  let one: WrittenRun
  beforeAll(async () => {
    const writer = new TraceWriter(ui.server.url, 'values')
    const image = `data:image/png;name=${'x'.repeat(160)};base64,${PIXEL}`
    const call = { name: 'lookup', arguments: JSON.stringify({ order: 88, city: 'Ulm' }) }
    one = writer.add({ name: 'one', inputs: { user: { plan: 'pro' }, image }, outputs: { call, text: 'One line.' } })
    writer.add({ name: 'two', inputs: { user: { plan: 'free' } }, outputs: {} })
    await writer.send()
  })

  it('that is JSON in a string expands in place', async () => {
    const page = await open('values', one, '?tab=io')
    await actOnRow(page, 'arguments', 'Open as JSON')
    await jsonRow(page, 'city:').click()
    await expect.poll(() => new URL(page.url()).searchParams.get('path')).toBe('outputs.call.arguments.city')
    await expectAccessibleInThemes(page, 'JSON in a string')
    expectQuietConsole(page)
    await page.reload()
    await jsonTree(page).locator('[aria-selected=true]').getByText('Ulm').waitFor()
    await actOnRow(page, 'arguments', 'Show as text')
    await expect.poll(() => jsonRow(page, 'city:').count()).toBe(0)
  })

  it('that is an image is a chip until it is opened', async () => {
    const page = await open('values', one, '?tab=io')
    await jsonRow(page, 'image/png').click()
    const image = page.getByRole('dialog', { name: 'image/png' }).getByRole('img', { name: 'image' })
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1)
    await expectAccessibleInThemes(page, 'an image in a value')
    expectQuietConsole(page)
  })

  it('filters runs with the same value', async () => {
    const page = await open('values', one, '?tab=io')
    await actOnRow(page, 'plan', 'Filter runs by this value')
    await page.waitForURL(/filter=/)
    await expect
      .poll(() => new URL(page.url()).searchParams.get('filter'))
      .toBe('and(eq(input_key, "user.plan"), eq(input_value, "pro"))')
    await page.getByRole('row').filter({ hasText: 'one' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'two' }).count()).toBe(0)
  })

  it('becomes a column of the runs list', async () => {
    const page = await open('values', one, '?tab=io')
    await actOnRow(page, 'plan', 'Pin as column')
    await page.getByRole('columnheader', { name: 'inputs.user.plan' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'two' }).getByText('free', { exact: true }).last().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('cols')).toMatch(/^name,.*,json:inputs\.user\.plan$/)
  })

  it('is compared with another one', async () => {
    const page = await open('values', one, '?tab=io')
    await actOnRow(page, 'plan', 'Mark as A')
    await actOnRow(page, 'text:', 'Compare with A')
    const dialog = page.getByRole('dialog', { name: 'Compare with A' })
    await dialog.getByText('$.inputs.user.plan').waitFor()
    await dialog.getByRole('region', { name: 'Differences' }).getByText('One line.').waitFor()
    expectQuietConsole(page)
  })
})

describe('documents of a retriever', () => {
  it('are a ranked list, and JSON on request', async () => {
    const project = 'found'
    const writer = new TraceWriter(ui.server.url, project)
    const documents = [
      { page_content: 'Kept forever.', metadata: { source: 'guide.md', score: 0.83 } },
      { page_content: 'Deleted with its project.', metadata: { source: 'faq.md', score: 0.7 } },
    ]
    const run = writer.add({
      name: 'search_kb',
      type: 'retriever',
      inputs: { query: 'How long?' },
      outputs: { documents },
    })
    await writer.send()
    const page = await open(project, run, '')
    await page.getByText('Query: How long?').waitFor()
    const cards = page.getByRole('listitem').filter({ hasText: 'score' })
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/^1\s+guide\.md\s+score 0\.830/),
      expect.stringMatching(/^2\s+faq\.md\s+score 0\.700/),
    ])
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Show as JSON' }).click()
    await jsonTree(page).getByText('page_content').first().waitFor()
  })
})
