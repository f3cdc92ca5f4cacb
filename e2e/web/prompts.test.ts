import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { Client } from '@touchstone/sdk'
import { traceable } from '@touchstone/sdk/traceable'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aClient } from '../clients/javascript/a-client.ts'
import { python, runScript } from '../clients/python/run-script.ts'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

let ui: Ui
let client: Client
beforeAll(async () => {
  ui = await startUi({ hasUsedPages: true, env: { TOUCHSTONE_OUTBOUND_ALLOW: '127.0.0.1' } })
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
})
afterAll(() => ui?.stop())

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string) => lc('PromptTemplate', { template: text, template_format: 'f-string' })
const tool = { type: 'function', function: { name: 'find_order', description: 'Finds an order', parameters: {} } }

/** A chat with a model and a tool. */
function aChain(system: string, temperature = 0.2) {
  const messages = [
    lc('SystemMessagePromptTemplate', { prompt: template(system) }),
    lc('HumanMessagePromptTemplate', { prompt: template('{question}') }),
  ]
  const bound = lc('ChatOpenAI', { model: 'gpt-5-mini', temperature })
  return lc('RunnableSequence', {
    first: lc('ChatPromptTemplate', { messages }),
    last: lc('RunnableBinding', { bound, kwargs: { tools: [tool] } }),
  })
}

const own = (name: string, rest = '') => `/o/${ui.tenant}/prompts/-/${name}${rest}`
const hashes = async (name: string) =>
  (await client.readPromptHistory(name)).commits.map(({ commit_hash }) => commit_hash)

describe('the list of prompts', () => {
  it('explains the first push, finds what was pushed, and keeps its state in the URL', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('link', { name: 'Prompts' }).click()
    await page.getByRole('heading', { name: 'No prompts yet' }).waitFor()
    expect(await page.getByRole('region', { name: 'Python' }).textContent()).toContain('push_prompt("short-answer"')
    expectQuietConsole(page)

    await client.pushPrompt('joke', { object: template('A joke about {topic}'), tags: ['fun'], description: 'Jokes' })
    await client.pushPrompt('order', { object: aChain('Hi'), tags: ['support'], commitTags: ['production'] })
    await client.likePrompt('order')
    await page.reload()
    await page.getByText('2 prompts').waitFor()
    const grid = page.getByRole('grid', { name: 'Prompts' })
    await grid.getByRole('button', { name: 'Like joke, 0 so far' }).click()
    await grid.getByRole('button', { name: 'Like joke, 1 so far', pressed: true }).waitFor()
    await chooseOption(page.getByRole('combobox', { name: 'Tag' }), 'support (1)')
    await page.getByText('1 prompt', { exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?tag=support')
    await page.reload()
    await grid.getByText('production').waitFor()
    await page.getByRole('searchbox', { name: 'Search prompts' }).fill('nothing like it')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByText('2 prompts').waitFor()
    expectQuietConsole(page)

    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('joke')
    await page.getByRole('option', { name: 'joke' }).first().click()
    await page.waitForURL(`**${own('joke')}`)
    await page.getByRole('article', { name: 'prompt' }).getByText('A joke about').waitFor()
  })

  it('shows cards on a phone, in dark', async () => {
    const page = await ui.open(`/o/${ui.tenant}/prompts`, { size: PHONE, theme: 'dark' })
    await page.getByRole('link', { name: 'order' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('link', { name: 'order' }).click()
    await page.getByRole('region', { name: 'Model' }).getByText('gpt-5-mini').waitFor()
    expectQuietConsole(page)
  })
})

describe('a prompt', () => {
  it('shows messages, variables, model and tools', async () => {
    const page = await ui.open(own('order'))
    await page.getByRole('article', { name: 'system' }).getByText('Hi').waitFor()
    await page.getByRole('region', { name: 'Variables' }).getByText('question').waitFor()
    await page.getByRole('region', { name: 'Model' }).getByText('gpt-5-mini').waitFor()
    await page.getByRole('region', { name: 'Tools' }).getByText('find_order').waitFor()
    expectQuietConsole(page)
    await page.getByRole('radio', { name: 'Raw manifest' }).click()
    await page.getByRole('tree', { name: 'manifest' }).getByText('RunnableSequence').first().waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?raw=1')
    expectQuietConsole(page)
  })

  it('moves a tag after showing what changes, and the client pulls the new text', async () => {
    await client.pushPrompt('deploy', { object: aChain('You are kind.'), commitTags: ['live'] })
    await client.pushPrompt('deploy', { object: aChain('You are terse.', 0.7), commitDescription: 'terse' })
    const [second, first] = await hashes('deploy')
    const page = await ui.open(own('deploy', '?tab=commits'))
    const differences = page.getByRole('region', { name: 'Differences', exact: true })
    await differences.getByRole('region', { name: 'Differences in Messages' }).getByText('terse').first().waitFor()
    await differences.getByRole('region', { name: 'Differences in Model' }).getByText('0.7').waitFor()
    expect(await differences.getByRole('region', { name: 'Differences in Tools' }).count()).toBe(0)
    expectQuietConsole(page)

    await page.getByRole('button', { name: `Actions of commit ${second?.slice(0, 8)}` }).click()
    await page.getByRole('menuitem', { name: 'Set a tag…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('123')
    await page.getByText('is a number, which could be read as a version').waitFor()
    await chooseOption(
      page.getByRole('dialog').getByRole('combobox', { name: 'Tag' }),
      `live (now ${first?.slice(0, 8)})`,
    )
    const changes = page.getByRole('region', { name: 'What changes for programs' })
    await changes.getByRole('region', { name: 'Differences in Messages' }).getByText('terse').first().waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Move tag' }).click()
    await page.getByText(`Moved live to ${second?.slice(0, 8)}`).waitFor()
    const pulled = await aClient(ui.server.url).pullPromptCommit('deploy:live', { skipCache: true })
    expect(pulled.commit_hash).toBe(second)

    await page.getByRole('button', { name: 'Actions of tag live' }).click()
    await page.getByRole('menuitem', { name: 'History' }).click()
    const history = page.getByRole('dialog', { name: 'History of live' })
    await history.getByText('Moved').waitFor()
    expect(await history.getByRole('link', { name: first?.slice(0, 8) ?? '' }).count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions of tag live' }).click()
    await page.getByRole('menuitem', { name: 'Delete tag…' }).click()
    await page.getByRole('button', { name: 'Delete tag' }).click()
    await page.getByText('No tags.').waitFor()
    expect(await client.listCommitTags('deploy')).toEqual([])
  })

  it('lists the runs that name a commit, with their scores per commit', async () => {
    await client.pushPrompt('used', { object: aChain('One') })
    const [hash = ''] = await hashes('used')
    const metadata = { lc_hub_repo: 'used', lc_hub_commit_hash: hash }
    const answer = traceable(async (question: string) => question, {
      name: 'answer',
      client,
      project_name: 'bot',
      tracingEnabled: true,
      metadata,
    })
    await answer('Where is it?')
    await client.flush()
    for await (const { id } of client.listRuns({ projectName: 'bot' })) {
      await client.createFeedback(id, 'correct', { score: 0.75 })
    }
    const page = await ui.open(own('used', '?tab=commits'))
    await page.getByRole('link', { name: '1 run', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Commits' }).getByText('0.75').waitFor()
    await page.getByRole('link', { name: '1 run', exact: true }).click()
    await page.getByText(`Runs of commit ${hash.slice(0, 8)}`).waitFor()
    await expectAccessibleInThemes(page, 'runs of a commit')
    expectQuietConsole(page)
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'answer' }).click()
    await page.waitForURL('**/r/*')
  })
})

describe('an address of a prompt', () => {
  const heading = (page: Page, hash: string | undefined) =>
    page
      .getByRole('link', { name: hash?.slice(0, 8) ?? 'no hash', exact: true })
      .first()
      .waitFor()

  it('leads to any unique beginning of a hash or tag, and lists the choices of others', async () => {
    for (let n = 0; n < 20; n++) await client.pushPrompt('many', { object: template(`Version ${n}`) })
    await client.tagCommit('many', 'a-very-long-tag')
    const all = await hashes('many')
    const starts = (prefix: string) => all.filter((hash) => hash.startsWith(prefix))
    const unique = [1, 2, 3, 4].map((length) => all[3]?.slice(0, length) ?? '').find((one) => starts(one).length === 1)
    // 20 hashes have at most 16 first digits.
    const shared = '0123456789abcdef'.split('').find((digit) => starts(digit).length > 1) ?? ''
    const cases: [string, string | undefined][] = [
      [`/prompts/many?organizationId=${ui.tenant}`, all[0]],
      [`/prompts/many/latest?organizationId=${ui.tenant}`, all[0]],
      [`/prompts/many/${all[5]?.slice(0, 8)}`, all[5]],
      [`/prompts/many/${unique}`, all[3]],
      ['/prompts/many/a-very-l', all[0]],
    ]
    const page = await ui.open('/prompts')
    for (const [path, hash] of cases) {
      await page.goto(ui.server.url + path)
      await heading(page, hash)
      expect(await page.title(), path).toBe('many · Touchstone')
    }
    await page.goto(`${ui.server.url}/prompts/many/${shared}`)
    await page.getByRole('heading', { name: `${starts(shared).length} commits begin with ${shared}` }).waitFor()
    await expectAccessibleInThemes(page, 'an ambiguous commit')
    expectQuietConsole(page)
    await page.getByRole('link', { name: starts(shared)[1]?.slice(0, 16) ?? '' }).click()
    await heading(page, starts(shared)[1])
    await page.goto(ui.server.url + own('many', '/no-such-tag'))
    await page.getByRole('heading', { name: 'No such commit' }).waitFor()
    await page.getByRole('main').getByText('no-such-tag').waitFor()
    await page.goto(ui.server.url + own('no-such-prompt'))
    await page.getByRole('heading', { name: 'This prompt was not found' }).waitFor()
    await page.getByRole('link', { name: 'Show prompts' }).waitFor()
  })

  it('that the npm client returns opens its page', async () => {
    const npm = aClient(ui.server.url, { webUrl: ui.server.url } as never)
    const prompt = ChatPromptTemplate.fromMessages([['system', 'You are {tone}.']])
    const first = await npm.pushPrompt('from-npm', { object: prompt })
    const second = await npm.pushPrompt('from-npm', {
      object: ChatPromptTemplate.fromMessages([['system', 'You are very {tone}.']]),
    })
    const [newest, oldest] = await hashes('from-npm')
    for (const [url, hash] of [
      [first, oldest],
      [second, newest],
      [await npm.pushPrompt('from-npm', { description: 'no commit' }), newest],
    ] as const) {
      const { pathname, search } = new URL(url)
      const page = await ui.open(pathname + search)
      await heading(page, hash)
      await page.getByRole('article', { name: 'system' }).getByText('You are').waitFor()
      expectQuietConsole(page)
    }
  })

  it.skipIf(python === undefined)('that the Python client returns opens its page', async () => {
    const task = { name: 'from-python' }
    const { addresses } = await runScript<{ addresses: string[] }>('prompt_addresses', task, ui.server.url)
    const [newest, oldest] = await hashes('from-python')
    for (const [index, hash] of [oldest, newest, newest].entries()) {
      const { pathname, search } = new URL(addresses[index] ?? '')
      const page = await ui.open(pathname + search)
      await heading(page, hash)
      await page.getByRole('article', { name: 'system' }).getByText('You are').waitFor()
      expectQuietConsole(page)
    }
  })
})

describe('the readme and the settings of a prompt', () => {
  it('edits the readme with a preview that runs nothing', async () => {
    await client.pushPrompt('documented', { object: template('Hi') })
    const page = await ui.open(own('documented', '?tab=readme'))
    await page.getByRole('button', { name: 'Write a readme' }).click()
    const hostile = '# Title\n\n<script>document.title = "run"</script> <img src=x onerror="alert(1)">\n\n**bold**'
    await page.getByRole('textbox', { name: 'Readme' }).fill(hostile)
    await page.getByRole('region', { name: 'Preview' }).getByText('bold').waitFor()
    await page.getByRole('button', { name: 'Save readme' }).click()
    await page.getByText('Saved the readme').waitFor()
    const readme = page.getByRole('article', { name: 'Readme' })
    await readme.getByText('# Title').waitFor()
    await readme.getByText('<script>document.title = "run"</script> <img src=x onerror="alert(1)">').waitFor()
    expect(await page.title()).toBe('documented · Touchstone')
    expect((await client.getPrompt('documented'))?.readme).toBe(hostile)
    expectQuietConsole(page)
  })

  it('sets the handle once, publishes, finds it in the hub, forks and deletes', async () => {
    const page = await ui.open(`/o/${ui.tenant}/settings/workspace`)
    await page.getByRole('textbox', { name: 'Handle' }).fill('Acme')
    await page.getByText('Begin with a small letter').waitFor()
    await page.getByRole('textbox', { name: 'Handle' }).fill('acme')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Set handle' }).click()
    await page.getByText('Set the handle', { exact: true }).waitFor()
    expect((await client.getSettings()).tenant_handle).toBe('acme')
    await expectAccessibleInThemes(page, 'a handle')
    expectQuietConsole(page)

    await page.goto(`${ui.server.url}${own('documented', '?tab=settings')}`)
    await page.getByRole('textbox', { name: 'Tags' }).fill('guide, guide, first')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the prompt').waitFor()
    await page.getByRole('button', { name: 'Make public' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make public' }).click()
    await page.getByText('The prompt is public').waitFor()
    expect(await client.getPrompt('documented')).toMatchObject({ is_public: true, tags: ['guide', 'first'] })
    await expectAccessibleInThemes(page, 'a public prompt')
    expectQuietConsole(page)

    await page.goto(`${ui.server.url}/hub`)
    await page.getByRole('grid', { name: 'Prompts' }).getByRole('link', { name: 'documented' }).waitFor()
    const [hash] = await hashes('documented')
    await page.goto(`${ui.server.url}/hub/acme/documented:${hash?.slice(0, 8)}`)
    await page.waitForURL(`**/prompts/acme/documented/${hash?.slice(0, 8)}`)
    await page.getByRole('article', { name: 'prompt' }).getByText('Hi').waitFor()

    await page.getByRole('button', { name: 'Fork' }).click()
    await page.getByRole('textbox', { name: 'Name of the copy' }).fill('my-copy')
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click()
    await page.waitForURL(`**${own('my-copy')}`)
    await page.getByText('Fork of acme/documented').waitFor()
    await page.goto(`${ui.server.url}${own('my-copy', '?tab=settings')}`)
    await page.getByRole('button', { name: 'Delete prompt' }).click()
    await page.getByLabel('Type my-copy to confirm').fill('my-copy')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete prompt' }).click()
    await page.getByText('Deleted my-copy').waitFor()
    expect(await client.getPrompt('my-copy')).toBeNull()
  })
})

describe('webhooks', () => {
  let receiver: Server
  const received: string[] = []
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(String(chunk))).on('end', () => response.end('thank you'))
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => receiver.close(resolve)))

  it('are created, tested, and deliver again', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const page = await ui.open(`/o/${ui.tenant}/settings/webhooks`)
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('textbox', { name: 'URL' }).fill(url)
    await page.getByRole('textbox', { name: 'Headers' }).fill('authorization Bearer x')
    await page.getByText('Line 1: write a name').waitFor()
    await page.getByRole('textbox', { name: 'Headers' }).fill('authorization: Bearer x')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page
      .getByRole('dialog', { name: 'Secret of the webhook' })
      .getByText(/^whsec_/)
      .waitFor()
    await expectAccessibleInThemes(page, 'a secret of a webhook')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('The receiver answered 200.').waitFor()

    await client.pushPrompt('hooked', { object: template('Hello') })
    await page.getByRole('button', { name: 'Deliveries of the last 30 days' }).click()
    await page.getByText('Delivered', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Redeliver New commit of hooked' }).click()
    await expect.poll(() => received.length).toBe(3)
    expect(received[2]).toBe(received[1])
    await expect.poll(() => page.getByText('Delivered', { exact: true }).count()).toBe(2)
    await expectAccessibleInThemes(page, 'deliveries of a webhook')
    expectQuietConsole(page)
    await page.getByRole('button', { name: `Actions of ${url}` }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  })
})

describe('a hostile manifest', () => {
  it.each([
    [
      'with scripts and text from right to left',
      lc('PromptTemplate', { template: '<script>document.title="run"</script>\u202egnp.exe {a}' }),
    ],
    ['with 200 kB of variables', template('{a} '.repeat(50_000))],
    ['that is nested 3,000 levels deep', { ...template('Hi'), extra: deep(3_000) }],
    ['of an unknown form', lc('FewShotPromptTemplate', { examples: ['<b>x</b>'] })],
  ])('%s is shown and runs nothing', async (title, object) => {
    const name = `hostile-${title.replaceAll(/\W+/g, '-').toLowerCase()}`
    await client.pushPrompt(name, { object })
    await client.pushPrompt(name, { object: { ...object, kwargs: { ...object.kwargs, more: 1 } } })
    const page = await ui.open(own(name))
    await page
      .getByText(/prompt|PromptTemplate/)
      .first()
      .waitFor()
    await page.getByRole('radio', { name: 'Raw manifest' }).click()
    await page.getByRole('tree', { name: 'manifest' }).waitFor()
    await page.getByRole('link', { name: 'Compare with parent' }).click()
    await page.getByRole('region', { name: /^Differences in (Manifest|Rest of the manifest)$/ }).waitFor()
    expect(await page.title()).toBe(`${name} · Touchstone`)
    expectQuietConsole(page)
  })
})

function deep(levels: number): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}
