import { crc32, deflateSync } from 'node:zlib'
import type { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { ANSWER, message, type PlaygroundUi, startPlayground, variant } from '../support/start-playground.ts'
import { expectQuietConsole, type Ui } from '../support/start-ui.ts'

let playground: PlaygroundUi
let ui: Ui
let client: Client
beforeAll(async () => {
  playground = await startPlayground()
  ;({ ui, client } = playground)
  await playground.addProvider('Models')
})
afterAll(() => playground?.stop())

async function openSaved(text: string): Promise<{ page: Page; id: string }> {
  const page = await ui.open(playground.path())
  await message(variant(page), 2).fill(text)
  await expect.poll(() => new URL(page.url()).searchParams.get('draft'), { timeout: 20_000 }).not.toBeNull()
  await page.getByText(/^Saved /).waitFor()
  return { page, id: new URL(page.url()).searchParams.get('draft') ?? '' }
}

const readText = async (id: string) => JSON.stringify((await client.readPlaygroundDraft(id)).body)

/** Closes a tab as a user does. @returns the types of the questions that the browser asked */
async function closeTab(page: Page): Promise<string[]> {
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
  return asked
}

describe('a tab that is closed right after an edit', () => {
  it('has saved a short draft without a question', async () => {
    const { page, id } = await openSaved('First')
    await message(variant(page), 2).fill('The last words')
    expect(await closeTab(page)).toEqual([])
    await expect.poll(() => readText(id), { timeout: 20_000 }).toContain('The last words')
  })

  it('asks before a long draft is lost, and not once it is saved', async () => {
    const long = 'x'.repeat(100_000)
    const { page } = await openSaved(long)
    await message(variant(page), 2).fill(`${long} and more`)
    const asked = await closeTab(page)
    expect(asked).toEqual(['beforeunload'])
    const { page: saved } = await openSaved(long)
    expect(await closeTab(saved)).toEqual([])
  })
})

describe('images of a draft', () => {
  it('are saved once for all variants, and above the limit scaled down with a message', async () => {
    const page = await ui.open(playground.path())
    await variant(page).getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(variant(page), 2).fill('What is this?')
    await choose(page, [{ name: 'noise.png', size: 1500 }])
    await page
      .getByText(/^noise\.png had 6\.\d MB\. It was made a JPEG of \d+ × \d+ pixels/)
      .waitFor({ timeout: 60_000 })
    await page.getByRole('img', { name: 'Part 2 of Message 2 of A' }).waitFor()
    await expectAccessibleInThemes(page, 'an image that was scaled down')
    expectQuietConsole(page)
    for (const name of ['B', 'C', 'D', 'E', 'F']) {
      await page.getByRole('button', { name: 'Add variant' }).click()
      await variant(page, name).waitFor()
    }
    await expect.poll(() => page.getByText(/^Saved /).count(), { timeout: 30_000 }).toBe(1)
    await variant(page).getByRole('button', { name: 'Run A' }).click()
    await variant(page).getByText(ANSWER).waitFor()
    await page.getByText(/^Saved /).waitFor()
    await page.reload()
    await variant(page, 'F').getByRole('img', { name: 'Part 2 of Message 2 of F' }).waitFor()
  })

  it('that have no space are refused with what helps', async () => {
    const page = await ui.open(playground.path())
    await message(variant(page), 2).fill('What are these?')
    // Chromium cannot read it, so it cannot be scaled down.
    await page
      .getByLabel('Files of images of Message 2 of A')
      .setInputFiles([{ name: 'scan.tiff', mimeType: 'image/tiff', buffer: Buffer.alloc(6_000_000) }])
    await page.getByText(/^scan\.tiff has 6\.0 MB, and the draft has space for 3\.0 MB of images\./).waitFor()
    await choose(page, [
      { name: 'a.png', size: 900 },
      { name: 'b.png', size: 900 },
    ])
    await page.getByRole('img', { name: 'Part 3 of Message 2 of A' }).waitFor({ timeout: 60_000 })
    await page.getByText(/^b\.png had 2\.4 MB\. It was made a JPEG/).waitFor()
    await page.getByText(/^Saved /).waitFor({ timeout: 30_000 })
  })
})

async function choose(page: Page, files: readonly { name: string; size: number }[]): Promise<void> {
  await page
    .getByLabel('Files of images of Message 2 of A')
    .setInputFiles(files.map(({ name, size }) => ({ name, mimeType: 'image/png', buffer: makeNoise(size) })))
}

/** A PNG of random pixels, which cannot be compressed. */
function makeNoise(side: number): Buffer {
  const rows = Buffer.alloc(side * (side * 3 + 1))
  for (let at = 0; at < rows.length; at++) rows[at] = at % (side * 3 + 1) === 0 ? 0 : Math.trunc(Math.random() * 256)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', header),
    toChunk('IDAT', deflateSync(rows, { level: 1 })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

function toChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([size, content, sum])
}
