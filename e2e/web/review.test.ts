import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { focused } from '../support/keyboard.ts'
import { callApi, type QueueApi, RUBRIC, seedChats, seedQueue } from '../support/seed-queue.ts'
import { expectQuietConsole, startUi, type Ui } from '../support/start-ui.ts'

interface StoredFeedback {
  key: string
  run_id: string
  score: number | null
  value: unknown
  comment: string | null
  correction: unknown
}

/** An item that Ann has reserved for a minute. Its queue is prepared before all tests, because the minute must pass. */
interface Reserved {
  readonly queueId: string
  readonly runs: readonly string[]
  readonly ann: QueueApi & { key: string }
  readonly bob: QueueApi & { key: string }
  readonly annPage: Page
}

describe('the review of a queue', () => {
  let ui: Ui
  let reserved: Reserved
  beforeAll(async () => {
    ui = await startUi({ hasUsedPages: true })
    const runs = await seedChats(ui.server, 'journey-21', 3)
    const settings = { ...RUBRIC, num_reviewers_per_item: 1, reservation_minutes: 1 }
    const queueId = await seedQueue(ui.server, { name: 'Together', ...settings }, runs)
    const makeKey = (api: QueueApi, description: string) =>
      callApi<{ key: string }>(api, 'POST', '/api-key', { description })
    const ann = { url: ui.server.url, key: (await makeKey(ui.server, 'Ann')).key }
    const bob = { url: ui.server.url, key: (await makeKey(ann, 'Bob')).key }
    const annPage = await openReview(queueId, { key: ann.key })
    await question(annPage, 0).waitFor()
    await annPage.getByText(/^Reserved /).waitFor()
    const bobPage = await openReview(queueId, { key: bob.key, theme: 'dark' })
    await question(bobPage, 1).waitFor()
    await bobPage.close()
    await annPage.keyboard.press('2')
    await annPage.getByText('Saved', { exact: true }).waitFor()
    // It is said for the last half of a minute, and the answer may have extended the reservation to a whole one.
    await annPage.getByText('Your reservation ends soon.').waitFor({ timeout: 60_000 })
    await expectAccessibleInThemes(annPage, 'a reservation that ends soon')
    expectQuietConsole(annPage)
    reserved = { queueId, runs, ann, bob, annPage }
  })
  afterAll(() => ui?.stop())

  const openReview = async (queueId: string, options: Parameters<Ui['open']>[1] = { key: reserved.ann.key }) => {
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues/${queueId}/review`, options)
    await page.getByRole('form', { name: 'Review' }).waitFor()
    return page
  }
  const feedbackOf = (runId: string) => callApi<StoredFeedback[]>(reserved.ann, 'GET', `/feedback?run=${runId}`)
  const question = (page: Page, number: number) =>
    page.getByRole('region', { name: 'Item' }).getByText(`question ${number}`, { exact: true })
  const progress = (page: Page) => page.getByRole('status', { name: 'Progress' })

  it('goes through ten items by keyboard alone: a skip, a correction, a missing answer', async () => {
    const runs = await seedChats(reserved.ann, 'journey-20', 10)
    const { id: default_dataset } = await callApi<{ id: string }>(reserved.ann, 'POST', '/datasets', {
      name: 'corrected',
    })
    const settings = { name: 'Triage', reservation_minutes: 60, default_dataset }
    const queueId = await seedQueue(reserved.ann, { ...settings, ...RUBRIC }, runs)
    const page = await openReview(queueId)
    await question(page, 0).waitFor()
    await page.getByText(/^Reserved (59:\d\d|1:00:00)$/).waitFor()
    await expect.poll(() => focused(page)).toContain('wrong')
    expectQuietConsole(page)

    // A required answer is missing: the item stays, and the question has the focus.
    await page.keyboard.press('Control+Enter')
    await page.getByText('Choose an answer.').waitFor()
    await expect.poll(() => focused(page)).toContain('wrong')

    // The number chooses and moves on; the text is checked; a comment belongs to its question.
    await page.keyboard.press('2')
    await expect.poll(() => focused(page)).toBe('tone')
    await page.keyboard.type('0.7')
    await page.keyboard.press('Enter')
    await page.keyboard.type('X-1')
    await page.keyboard.press('Control+Enter')
    await page.getByText('The text does not match ^T-\\d+$.').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('T-1')
    await page.keyboard.press('Control+Enter')
    await question(page, 1).waitFor()
    await expect
      .poll(async () => (await feedbackOf(runs[0]!)).map(({ key, score, value }) => [key, score, value]).sort())
      .toEqual([
        ['correct', 1, null],
        ['ticket', null, 'T-1'],
        ['tone', 0.7, null],
      ])
    await progress(page).getByText('1 / 10').waitFor()

    // Skip: the item comes last.
    await page.keyboard.press('ArrowRight')
    await question(page, 2).waitFor()

    // Undo reopens the item that was completed last.
    await page.keyboard.press('u')
    await question(page, 0).waitFor()
    await page.keyboard.press('Control+Enter')
    await question(page, 2).waitFor()

    // Correct the output, and add it to the dataset.
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: 'Content of message 1' }).waitFor()
    await expect.poll(() => focused(page)).toBe('answer 2')
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('better')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Changes of the correction' }).getByText('"better"').waitFor()
    await expectAccessibleInThemes(page, 'changes of a correction')
    expectQuietConsole(page)
    await page.keyboard.press('Shift+D')
    await page.getByText('Added the corrected example').waitFor()
    const examples = await callApi<{ outputs: unknown; source_run_id: string }[]>(
      reserved.ann,
      'GET',
      `/examples?dataset=${default_dataset}`,
    )
    const outputs = { messages: [{ role: 'assistant', content: 'better' }] }
    expect(examples).toMatchObject([{ outputs, source_run_id: runs[2] }])
    expect(await feedbackOf(runs[2]!)).toMatchObject([{ key: 'correction', correction: outputs }])

    for (const number of [2, 3, 4, 5, 6, 7, 8, 9, 1]) {
      await question(page, number).waitFor()
      await page.keyboard.press('1')
      await expect.poll(() => focused(page)).toBe('tone')
      await page.keyboard.press('Control+Enter')
    }
    const summary = page.getByRole('region', { name: 'Summary' })
    await summary.getByRole('heading', { name: 'Nothing left to review' }).waitFor()
    await progress(page).getByText('10 / 10').waitFor()
    await summary.getByText('10 / 10').waitFor()
    await summary.getByText(/^[\d.]+ s$/).waitFor()
    await expectAccessibleInThemes(page, 'a summary of a review')
    expectQuietConsole(page)
    await page.keyboard.press('Escape')
    await page.waitForURL(`**/annotation-queues/${queueId}`)
  })

  it('completes an item of a queue without questions by Ctrl+Enter, wherever the focus is', async () => {
    const runs = await seedChats(reserved.ann, 'without-questions', 1)
    const page = await openReview(await seedQueue(reserved.ann, { name: 'Only to read' }, runs))
    await question(page, 0).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor()
    expectQuietConsole(page)
  })

  it('shows a thread as its transcript, and stores its scores on the thread', async () => {
    const runs = await seedChats(reserved.ann, 'threads', 2, 'thread-1')
    const { session_id } = await callApi<{ session_id: string }>(reserved.ann, 'GET', `/runs/${runs[0]}`)
    const queueId = await seedQueue(reserved.ann, { name: 'Threads', ...RUBRIC }, [])
    const items = [{ item_type: 'THREAD', thread_id: 'thread-1', project_id: session_id }]
    await callApi(reserved.ann, 'POST', `/platform/annotation-queues/${queueId}/items`, { items })
    const page = await openReview(queueId)
    await page.getByRole('article', { name: 'Turn 2' }).getByText('answer 1').waitFor()
    await page.keyboard.press('2')
    await page.getByText('Saved', { exact: true }).waitFor()
    await expectAccessibleInThemes(page, 'a thread in review')
    expectQuietConsole(page)
    const path = `/feedback?session=${session_id}&feedback_thread_id=thread-1`
    const stored = await callApi<object[]>(reserved.ann, 'GET', path)
    expect(stored).toMatchObject([{ key: 'correct', score: 1, feedback_thread_id: 'thread-1', run_id: null }])
  })

  it('compares two outputs of an example blindly, and scores both', async () => {
    const { id: dataset_id } = await callApi<{ id: string }>(reserved.ann, 'POST', '/datasets', { name: 'pairs' })
    const example = { dataset_id, inputs: { question: 'q' }, outputs: { answer: 'a' } }
    const { id: exampleId } = await callApi<{ id: string }>(reserved.ann, 'POST', '/examples', example)
    const session_ids: string[] = []
    for (const name of ['baseline', 'candidate']) {
      const about = { name, reference_dataset_id: dataset_id }
      session_ids.push((await callApi<{ id: string }>(reserved.ann, 'POST', '/sessions', about)).id)
      await seedChats(reserved.ann, name, 1, undefined, exampleId)
    }
    const queueId = await seedQueue(reserved.ann, { name: 'Blind', session_ids }, [])
    const page = await openReview(queueId, { key: reserved.ann.key, theme: 'dark' })
    await page.getByRole('region', { name: 'Second' }).getByText('answer 0').waitFor()
    await page.getByRole('region', { name: 'Reference' }).getByText('a', { exact: true }).waitFor()
    expect(await page.getByText('candidate').count()).toBe(0)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Choose an answer.').waitFor()
    await page.keyboard.press('1')
    await page.getByText('Saved', { exact: true }).waitFor()
    await expectAccessibleInThemes(page, 'a blind pair in review')
    expectQuietConsole(page)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor()
    const stored = await callApi<StoredFeedback[]>(reserved.ann, 'GET', '/feedback?key=preference')
    expect(stored.map(({ score }) => score).sort()).toEqual([0, 1])
  })

  it('keeps the scores of an item that a colleague takes after the reservation has ended', async () => {
    const { queueId, runs, ann, bob, annPage } = reserved
    await annPage.getByText('Your reservation has ended').waitFor({ timeout: 70_000 })
    await expectAccessibleInThemes(annPage, 'a reservation that has ended')
    expectQuietConsole(annPage)
    const waitingForBob = async () => {
      const path = `/platform/annotation-queues/${queueId}/items?status=needs_my_review`
      return (await callApi<{ items: { id: string; run_id: string }[] }>(bob, 'GET', path)).items
    }
    // The page counts from the request, so the server is a little later.
    await expect.poll(async () => (await waitingForBob()).map(({ run_id }) => run_id)).toContain(runs[0])
    const first = (await waitingForBob()).find(({ run_id }) => run_id === runs[0])
    await callApi(bob, 'POST', `/platform/annotation-queues/items/${first!.id}/status`, { status: 'viewed' })
    await annPage.getByRole('button', { name: 'Reserve again' }).click()
    await annPage.getByText('Another reviewer has taken this item.').waitFor()
    await expect(annPage.getByRole('button', { name: 'Done' }).isDisabled()).resolves.toBe(true)
    const kept = await callApi<StoredFeedback[]>(ann, 'GET', `/feedback?run=${runs[0]}`)
    expect(kept).toMatchObject([{ key: 'correct', score: 1 }])
  })

  it('shows two reviewers how often they agree', async () => {
    const others = await seedChats(reserved.ann, 'both', 3)
    const shared = await seedQueue(reserved.ann, { name: 'Twice', ...RUBRIC, num_reviewers_per_item: 2 }, others)
    const [ann, bob] = [reserved.ann.key, reserved.bob.key]
    for (const key of [ann, bob]) {
      const page = await openReview(shared, { key })
      for (const number of [0, 1, 2]) {
        await question(page, number).waitFor()
        const answer = key === bob && number === 2 ? 'wrong' : 'right'
        const option = page.getByRole('button', { name: answer })
        if ((await option.getAttribute('aria-pressed')) !== 'true') await option.click()
        await page.getByText('Saved', { exact: true }).first().waitFor()
        await page.keyboard.press('Control+Enter')
      }
      await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor()
      if (key === ann) await page.getByText('3 wait for other reviewers.').waitFor()
      else await page.getByRole('region', { name: 'Agreement between reviewers' }).getByText('66.7 %').waitFor()
    }
  })
})
