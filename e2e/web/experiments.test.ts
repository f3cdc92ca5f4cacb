import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { python } from '../clients/python/run-script.ts'
import { chooseOption } from '../support/choose-option.ts'
import { readDownload } from '../support/read-download.ts'
import { type ExperimentSeed, seedExperiment, seedExperiments } from '../support/seed-experiments.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const run = promisify(execFile)
const DAY_MS = 86_400_000
const EXAMPLES = 40

/** The baseline is right on 20 of 40 examples; the others repeat that and differ on the next ones. */
function anExperiment(
  name: string,
  correct: number,
  metadata: object,
  more: Partial<ExperimentSeed> = {},
): ExperimentSeed {
  return {
    name,
    metadata: { ...metadata },
    scores: (example) => ({ correct: example < correct ? 1 : 0, length: (example % 10) / 10 }),
    ...more,
  }
}

type Seeded = Awaited<ReturnType<typeof seedExperiments>>

describe('the experiments of a dataset', () => {
  let ui: Ui
  let seeded: Seeded
  beforeAll(async () => {
    ui = await openWorkspace()
    const now = Date.now()
    seeded = await seedExperiments({
      url: ui.server.url,
      dataset: 'golden',
      examples: EXAMPLES,
      experiments: [
        anExperiment('v1', 20, { model: 'small', temperature: 0 }, { startMs: now - 3 * DAY_MS }),
        anExperiment('v2', 32, { model: 'large', temperature: 0.5 }, { startMs: now - 2 * DAY_MS }),
        anExperiment('v3', 21, { model: 'small', temperature: 1 }, { startMs: now - DAY_MS }),
      ],
    })
  })
  afterAll(() => ui?.stop())

  const path = (search = '') => `/o/${ui.tenant}/datasets/${seeded.datasetId}/experiments${search}`

  it('have a baseline that colleagues see, and differences that are gray when they may be due to chance', async () => {
    const page = await ui.open(path())
    await page.getByRole('row', { name: /v1/ }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('b')
    await page.getByText('v1 is the baseline now').waitFor()
    await page.getByRole('row', { name: /v1 baseline/ }).waitFor()

    const colleague = await ui.open(path(), { theme: 'dark' })
    const clear = colleague.getByRole('link', { name: /^correct of v2: \+0\.30 compared with v1/ })
    await clear.waitFor()
    expect(await clear.getAttribute('aria-label')).toContain('40 examples scored by both')
    expect(await clear.getAttribute('class')).toContain('text-ok')
    const unclear = colleague.getByRole('link', { name: /^correct of v3/ })
    expect(await unclear.getAttribute('aria-label')).toContain('the interval includes 0')
    expect(await unclear.getAttribute('class')).toContain('text-fg-subtle')
    expectQuietConsole(colleague)

    await clear.click()
    await colleague.waitForURL('**/compare**')
    const { searchParams } = new URL(colleague.url())
    expect(searchParams.get('selectedSessions')).toBe(`${seeded.experiments[0]?.id},${seeded.experiments[1]?.id}`)
    expect(searchParams.get('metric')).toBe('correct')
  })

  it('are sorted, searched and grouped, and the URL keeps it', async () => {
    const page = await ui.open(path())
    await page.getByRole('row', { name: /v2/ }).waitFor()
    await page.getByRole('columnheader', { name: 'correct' }).getByRole('button').click()
    await page.waitForURL('**sort=-feedback:correct**')
    await chooseOption(page.getByLabel('Group by'), 'model')
    await page.getByRole('button', { name: 'Experiments with small' }).click()
    await page.getByRole('row', { name: /v3/ }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('row', { name: /small 2 experiments/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search experiments' }).fill('large')
    await page.getByText('1 of 3 experiments').waitFor()
    await page.getByRole('searchbox', { name: 'Search experiments' }).fill('nothing like this')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByText('3 experiments', { exact: true }).waitFor()
    expectQuietConsole(page)
  })

  it('keep the chosen columns, and export them', async () => {
    const page = await ui.open(path())
    await page.getByRole('row', { name: /v2/ }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'temperature' }).check()
    await page.getByRole('checkbox', { name: 'Errors' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'temperature' }).waitFor()

    await page.goto(ui.server.url + path())
    await page.getByRole('columnheader', { name: 'temperature' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Errors' }).count()).toBe(0)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const [heading, ...lines] = (await readDownload(file)).trimEnd().split('\n')
    expect(heading).toContain('correct,correct ±,correct n')
    expect(heading).toContain('temperature')
    expect(lines).toHaveLength(3)
  })

  it('are picked in a chart by keyboard and compared', async () => {
    const page = await ui.open(path('?x=temperature'))
    const chart = page.getByRole('figure', { name: 'correct by temperature' })
    await chart.getByRole('button', { name: /^v1, 0\.50/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await chart.getByRole('button', { name: /^v2, 0\.80/, pressed: true }).waitFor()
    await chart.getByRole('button', { name: 'correct as a table' }).click()
    await chart.getByRole('checkbox', { name: 'v3' }).check()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Compare 2' }).click()
    await page.waitForURL('**/compare**')
    const [, second, third] = seeded.experiments.map(({ id }) => id)
    await expect.poll(() => new URL(page.url()).searchParams.get('selectedSessions')).toBe(`${second},${third}`)
  })

  it('show the progress while they run', async () => {
    const running = await seedExperiment(
      { ...seeded, url: ui.server.url },
      anExperiment('running', 20, {}, { runsSoFar: 10, startMs: Date.now() - 1000 }),
    )
    const page = await ui.open(path())
    await page.getByRole('progressbar', { name: 'Progress of running' }).waitFor()
    expect(await page.getByRole('progressbar').getAttribute('aria-valuetext')).toContain('10 of 40 runs')
    await page.getByText('4 experiments, 1 running').waitFor()
    await seeded.client.deleteProject({ projectId: running.id })
    await page.getByText('3 experiments', { exact: true }).waitFor()
  })

  it('are renamed, sent to a queue, and deleted after typing', async () => {
    await seedExperiment({ ...seeded, url: ui.server.url }, anExperiment('short-lived', 5, {}, { runsSoFar: 3 }))
    const page = await ui.open(path(), { theme: 'dark' })
    await page.getByRole('button', { name: 'Actions of short-lived' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('renamed')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /renamed/ }).waitFor()

    await page.getByRole('checkbox', { name: 'Select renamed' }).check()
    await page.getByRole('button', { name: 'Add runs to queue' }).click()
    await page.getByRole('combobox', { name: 'Queue' }).fill('triage')
    await page.getByRole('button', { name: 'Add 3 runs' }).click()
    await page.getByText('Added to triage').waitFor()

    await page.getByRole('button', { name: 'Delete 1…' }).click()
    const remove = page.getByRole('button', { name: 'Delete experiment' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByLabel('Type renamed to confirm').fill('renamed')
    expectQuietConsole(page)
    await remove.click()
    await page.getByText('Deleted renamed').waitFor()
    await page.getByRole('row', { name: /renamed/ }).waitFor({ state: 'detached' })
  })

  it('are cards on a phone', async () => {
    const page = await ui.open(path(), { size: PHONE })
    await page.getByText('40 runs').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('begin with a program to run, which the first experiment replaces', async () => {
    const empty = await seedExperiments({ url: ui.server.url, dataset: `Ann's "set"`, examples: 2, experiments: [] })
    const page = await ui.open(`/o/${ui.tenant}/datasets/${empty.datasetId}/experiments`)
    await page.getByRole('heading', { name: 'Run your first experiment' }).waitFor()
    expect(await page.getByRole('region', { name: 'Environment' }).textContent()).toContain(`${ui.server.url}/api/v1`)
    expect(await page.getByRole('region', { name: 'Python' }).textContent()).toContain(String.raw`data="Ann's \"set\""`)
    expectQuietConsole(page)
    const [environment, program] = await Promise.all(
      ['Environment', 'Python'].map((name) => page.getByRole('region', { name }).textContent()),
    )
    await run('sh', ['-c', `${environment}\n"$PYTHON" -c "$PROGRAM"`], {
      env: { ...process.env, PYTHON: python, PROGRAM: program ?? '' },
    })
    await page.getByRole('row', { name: /first-/ }).waitFor()
    await page.getByRole('columnheader', { name: 'exact_match' }).waitFor()
  })

  describe('beside each other', () => {
    const summary = () =>
      `/o/${ui.tenant}/datasets/${seeded.datasetId}/compare?layout=summary&metric=correct&selectedSessions=${seeded.experiments.map(({ id }) => id).join()}`

    it('have verdicts in words', async () => {
      const page = await ui.open(summary())
      const better = page.getByRole('article', { name: 'v2' })
      await better.getByText(/^better: \+0\.30, 95 % interval \+0\.\d\d to \+0\.\d\d, 40 shared examples$/).waitFor()
      const unclear = page.getByRole('article', { name: 'v3' })
      await unclear
        .getByText(/^no difference shown: about \d+ examples are needed to show \+0\.0[23], 40 are shared$/)
        .waitFor()
      await page.getByRole('region', { name: 'Metrics' }).getByText('12 better, 28 same, 0 worse').waitFor()
      expectQuietConsole(page)
    })

    it('show what differs in their configuration', async () => {
      const page = await ui.open(summary(), { theme: 'dark' })
      await page.getByRole('button', { name: /model small → large/ }).click()
      await page.getByRole('dialog').getByRole('heading', { name: 'temperature' }).waitFor()
      expectQuietConsole(page)
    })

    it('filter the examples by a bar, and by a rectangle in the scatter plot', async () => {
      const page = await ui.open(summary())
      await page
        .getByRole('button', { name: /^Show the examples with 1\.00: v1 20/ })
        .first()
        .click()
      await page.getByText('32 of 40 examples match the filters').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).first().click()

      const plot = page.getByRole('img', { name: /^correct: v2 against v1/ })
      await plot.scrollIntoViewIfNeeded()
      const box = (await plot.boundingBox())!
      await page.mouse.move(box.x + 50, box.y + 2)
      await page.mouse.down()
      await page.mouse.move(box.x + 120, box.y + 60, { steps: 4 })
      await page.mouse.up()
      await page.getByText('12 of 40 examples match the filters').waitFor()
      await page.getByRole('button', { name: 'Show in grid' }).click()
      await page.waitForURL((url) => !url.searchParams.has('layout'))
    })
  })
})
