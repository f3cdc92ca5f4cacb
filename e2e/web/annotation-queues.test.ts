import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { callApi, RUBRIC, seedChats, seedQueue } from '../support/seed-queue.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the annotation queues', () => {
  let ui: Ui
  let queueId: string
  beforeAll(async () => {
    ui = await openWorkspace()
    const runs = await seedChats(ui.server, 'support-bot', 4)
    const { id: default_dataset } = await callApi<{ id: string }>(ui.server, 'POST', '/datasets', { name: 'qa-golden' })
    const about = { name: 'Triage', description: 'thumbs down', reservation_minutes: 60, default_dataset }
    queueId = await seedQueue(ui.server, { ...about, ...RUBRIC }, runs)
    await seedQueue(ui.server, { name: 'Empty one' }, [])
    const entries = await callApi<{ queue_run_id: string }[]>(ui.server, 'GET', `/annotation-queues/${queueId}/runs`)
    const path = `/annotation-queues/status/${entries[0]!.queue_run_id}`
    await callApi(ui.server, 'POST', path, { status: 'completed' })
  })
  afterAll(() => ui?.stop())

  it('are listed with their progress; Enter starts the review', async () => {
    const page = await ui.open('/')
    await page.getByRole('link', { name: 'Annotation queues' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    const row = page.getByRole('row', { name: /Triage/ })
    await row.getByRole('img', { name: 'Progress of Triage: 1 of 4 done, 3 waiting for you' }).waitFor()
    await row.getByRole('link', { name: 'qa-golden' }).waitFor()
    await row.getByText('60 min').waitFor()
    await page.getByText('2 queues, 3 waiting for you').waitFor()
    expectQuietConsole(page)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/annotation-queues/${queueId}/review**`)
    await page.getByRole('form', { name: 'Review' }).waitFor()
  })

  it('search by name, in the URL', async () => {
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues`, { theme: 'dark' })
    await page.getByRole('row', { name: /Triage/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('empty')
    await page.getByText('1 of 2 queues').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('empty')
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByRole('heading', { name: 'No matching queues' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('row', { name: /Triage/ }).waitFor()
  })

  it('show their items by section, and remove some', async () => {
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues/${queueId}`)
    const grid = page.getByRole('grid', { name: 'Items' })
    await grid.getByText(/question 1/).waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('t')
    await page.getByRole('heading', { name: 'Nothing waits for others' }).waitFor()
    await page.getByRole('radio', { name: 'Done 1' }).click()
    await grid.getByText(/question 0/).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('completed')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Remove from queue' }).click()
    await page.getByText('Removed 1 from the queue').waitFor()
    await page.getByRole('heading', { name: 'Nothing is done yet' }).waitFor()
  })

  it('are created, get a rubric with a live preview, and are deleted', async () => {
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues`)
    await page.getByRole('row', { name: /Triage/ }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('textbox', { name: 'Name' }).fill('Safety')
    await page.getByRole('spinbutton', { name: 'Reviews per item' }).fill('2')
    await page.getByRole('button', { name: 'Create queue' }).click()
    await page.waitForURL('**/settings')

    await page.getByLabel('Instructions for reviewers (Markdown)').fill('Look at **harm** only.')
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByRole('textbox', { name: '1. Feedback key' }).fill('safe')
    await chooseOption(page.getByRole('combobox', { name: 'Answer' }), 'One of several options')
    await page.getByLabel('Options, one per line: score = meaning').fill('0 = harmful\n1 = harmless')
    await page.getByLabel('Required').check()
    const preview = page.getByRole('form', { name: 'Review' })
    await page.getByText('harm', { exact: true }).waitFor()
    await preview.getByRole('button', { name: 'harmless' }).click()
    await page.getByLabel('Default dataset').fill('qa-golden')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the queue').waitFor()

    const [queue] = await callApi<{ id: string }[]>(ui.server, 'GET', '/annotation-queues?name=Safety')
    const stored = await callApi<Record<string, unknown>>(ui.server, 'GET', `/annotation-queues/${queue!.id}`)
    expect(stored).toMatchObject({ num_reviewers_per_item: 2, reservation_minutes: 60 })
    expect(stored.rubric_items).toEqual([
      {
        feedback_key: 'safe',
        description: null,
        score_descriptions: { 0: 'harmful', 1: 'harmless' },
        is_required: true,
        is_assertion: false,
      },
    ])
    await page.getByRole('button', { name: 'Delete queue…' }).click()
    await page.getByLabel('Type Safety to confirm').fill('Safety')
    await page.getByRole('button', { name: 'Delete queue', exact: true }).click()
    await page.getByText('Deleted Safety').waitFor()
    await page.waitForURL('**/annotation-queues')
  })

  it('show that another person changed the same settings, and overwrite or reload them', async () => {
    const { id } = await callApi<{ id: string }>(ui.server, 'POST', '/annotation-queues', { name: 'Shared settings' })
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues/${id}/settings`)
    const description = page.getByLabel('Description')
    await description.fill('mine')
    await page.getByLabel('Reviews per item').fill('3')
    await page.getByLabel('Reviews per item').fill('1')
    await page.getByText('Reviews per item', { exact: true }).waitFor()
    expect(await page.getByText('Description changed').count()).toBe(1)
    expect(await page.getByText(/Reviews per item .* →/).count()).toBe(0)
    await callApi(ui.server, 'PATCH', `/annotation-queues/${id}`, { description: 'theirs', reservation_minutes: 9 })
    await page.getByRole('button', { name: 'Save' }).click()
    const notice = page.getByRole('alert', { name: 'Changed elsewhere while you were editing' })
    await notice.getByText('Description').waitFor()
    await expect.poll(() => page.getByLabel('Reserved for, in minutes').inputValue()).toBe('9')
    // The refused request is in the console.
    await expectAccessibleInThemes(page, 'settings that someone else changed')
    await notice.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByLabel("Hide others' scores").check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the queue').waitFor()
    expect(await callApi(ui.server, 'GET', `/annotation-queues/${id}`)).toMatchObject({
      description: 'mine',
      reservation_minutes: 9,
      hide_others_scores: true,
    })

    await description.fill('mine again')
    await callApi(ui.server, 'PATCH', `/annotation-queues/${id}`, { description: 'theirs again' })
    await page.getByRole('button', { name: 'Save' }).click()
    await notice.getByRole('button', { name: 'Take what was saved' }).click()
    await expect.poll(() => description.inputValue()).toBe('theirs again')
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  })

  it('fit on a phone', async () => {
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues`, { size: PHONE })
    await page.getByText('for me').first().waitFor()
    expectQuietConsole(page)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await overflow()).toBe(0)
    await page.goto(`${ui.server.url}/o/${ui.tenant}/annotation-queues/${queueId}/settings`)
    await page.getByRole('heading', { name: 'Preview' }).waitFor()
    expect(await overflow()).toBe(0)
  })
})
