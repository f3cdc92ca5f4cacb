import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { focused, tabTo } from '../../support/keyboard.ts'
import { SCALE } from '../../support/scale.ts'
import { expectQuietConsole } from '../../support/start-ui.ts'
import { type BigProject, startBigProject, TAGS } from './big-project.ts'

const PATIENT = 1_800_000
const LONG = { timeout: 900_000 }
const ALL = SCALE.tagged.toLocaleString('en-US')

let big: BigProject
let client: Client
beforeAll(async () => {
  big = await startBigProject()
  client = new Client({ apiUrl: `${big.server.url}/api/v1` })
}, PATIENT)
afterAll(() => big?.stop())

const bar = (page: Page) => page.getByRole('region', { name: 'Selected runs' })
const dialog = (page: Page) => page.getByRole('dialog')
const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' })
const examplesOf = async (datasetName: string) => (await client.readDataset({ datasetName })).example_count
const leftOf = async (tag: string) =>
  (await client.countBulk({ action: 'delete', session: [big.projectId], filter: `has(tags, "${tag}")` })).runs

describe(`journey 12: all ${ALL} that match`, () => {
  it(
    'become examples, which is undone, and are deleted after their number is typed',
    async () => {
      const tag = TAGS[0]
      const page = await filtered(tag)
      await page.locator('[data-row]').first().getByRole('checkbox').check()
      await bar(page)
        .getByRole('button', { name: `Select all ~${ALL} matching` })
        .click()
      await bar(page).getByText(`All ~${ALL} matching`).waitFor()
      await bar(page).getByRole('button', { name: 'Add to dataset' }).click()
      const add = dialog(page).getByRole('button', { name: `Add ${ALL} runs` })
      await add.waitFor()
      expect(await dialog(page).getByRole('region', { name: 'Sample' }).getByRole('listitem').count()).toBe(5)
      await dialog(page).getByLabel('Dataset', { exact: true }).fill(tag)
      expectQuietConsole(page)
      await add.click()
      await toasts(page).getByText(`${ALL} of ${ALL} done`).waitFor(LONG)
      expect(await examplesOf(tag)).toBe(SCALE.tagged)

      await page.getByRole('contentinfo').getByRole('button', { name: 'Jobs' }).click()
      const jobs = page.getByRole('list', { name: 'Jobs' })
      await jobs.getByRole('button', { name: 'Undo' }).first().click()
      await toasts(page).getByText(`Undo added examples: ${ALL} of ${ALL} done`).waitFor(LONG)
      expect(await examplesOf(tag)).toBe(0)
      await page.keyboard.press('Escape')

      await bar(page).getByRole('button', { name: 'Delete' }).click()
      const go = dialog(page).getByRole('button', { name: `Delete ${ALL} traces` })
      await go.waitFor()
      await dialog(page)
        .getByRole('textbox')
        .fill(String(SCALE.tagged - 1))
      expect(await go.isDisabled()).toBe(true)
      await dialog(page).getByRole('textbox').fill(String(SCALE.tagged))
      expectQuietConsole(page)
      await go.click()
      await toasts(page).getByText(`Delete traces: ${ALL} of ${ALL} done`).waitFor(LONG)
      await page.getByText('0 rows').waitFor()
      expect(await leftOf(tag)).toBe(0)
      expectQuietConsole(page)
    },
    PATIENT,
  )

  it(
    'work the same way by keyboard',
    async () => {
      const tag = TAGS[1]
      const page = await filtered(tag)
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await bar(page).getByText('1 selected').waitFor()
      await page.keyboard.press('Control+A')
      await tabTo(page, new RegExp(`^Select all ~${ALL} matching`))
      await page.keyboard.press('Enter')
      await bar(page).getByText(`All ~${ALL} matching`).waitFor()

      await page.keyboard.press('d')
      await dialog(page)
        .getByRole('button', { name: `Add ${ALL} runs` })
        .waitFor()
      await expect.poll(() => focused(page)).toBe('Dataset')
      await page.keyboard.type(tag)
      await tabTo(page, new RegExp(`^Add ${ALL} runs`))
      await page.keyboard.press('Enter')
      await toasts(page).getByText(`${ALL} of ${ALL} done`).waitFor(LONG)
      expect(await examplesOf(tag)).toBe(SCALE.tagged)

      await tabTo(page, /^Delete$/)
      await page.keyboard.press('Enter')
      const go = dialog(page).getByRole('button', { name: `Delete ${ALL} traces` })
      await go.waitFor()
      await tabTo(page, /to confirm$/)
      await page.keyboard.type(String(SCALE.tagged))
      await page.keyboard.press('Enter')
      await toasts(page).getByText(`Delete traces: ${ALL} of ${ALL} done`).waitFor(LONG)
      expect(await leftOf(tag)).toBe(0)
      expect(await examplesOf(tag)).toBe(SCALE.tagged) // examples outlive the runs they were made of
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

/** Types a filter for runs with a tag. */
async function filtered(tag: string): Promise<Page> {
  const page = await big.open(`${big.path}?live=off`)
  await page.locator('[data-row]').first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(`tag:${tag}`)
  await page.keyboard.press('Enter')
  const status = page.getByRole('contentinfo').getByRole('status').first()
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toContain(` of ${ALL} rows`)
  await page.keyboard.press('Escape')
  return page
}
