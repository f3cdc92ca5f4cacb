import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { python, runScript } from './run-script.ts'

let server: SharedServer
beforeAll(async () => {
  if (python !== undefined) server = await shareServer()
})
afterAll(() => server?.stop())

type Fields = Record<string, unknown>
const aName = (word: string) => `${word}-${randomBytes(4).toString('hex')}`

describe.skipIf(python === undefined)('prompts through the public Python client', () => {
  let report: Fields & { urls: string[]; commits: Fields[]; race: unknown[]; errors: Record<string, [string, string]> }
  const name = aName('joke')
  beforeAll(async () => {
    report = await runScript('prompts', { name }, server.url)
  })

  it('are pushed, found, liked, updated, archived and deleted', () => {
    const said = { repo_handle: name, description: 'Tells jokes', readme: '# Jokes', tags: ['fun'] }
    expect(report.created).toMatchObject({ ...said, is_public: false, is_archived: false, num_commits: 1 })
    expect(report.updated).toMatchObject({ description: 'No more', tags: [], is_archived: true, num_commits: 2 })
    expect(report).toMatchObject({
      missing: true,
      likes: [1, 1, 0],
      listed: expect.arrayContaining([name, `${name}-text`, `${name}-structured`]),
      archived: [false, true],
      paged: [2, 5],
      deleted: [expect.any(Boolean), true],
    })
    for (const url of report.urls) expect(url).toMatch(new RegExp(`/prompts/${name}/[0-9a-f]{8}\\?organizationId=`))
  })

  it('have commits, found by tag and by the beginning of their hash', () => {
    const [newest, oldest] = report.commits
    expect(newest).toMatchObject({ parent_commit_hash: oldest!.commit_hash })
    expect(report).toMatchObject({ by_tag: true, by_prefix: true })
    expect(report.pulled).toMatchObject({ owner: '-', repo: name, commit_hash: newest!.commit_hash, examples: [] })
  })

  it('come to life in LangChain as they were, and are the same when they are pushed again', () => {
    expect(report).toMatchObject({
      same: true,
      text: 'Say hi',
      mustache: '1,2,',
      structured: ['StructuredPrompt', true],
      model: [true, true],
    })
    expect(report.errors.again![1]).toContain('Nothing to commit: prompt has not changed since latest commit')
  })

  it('give a commit to one of two writers with the same parent', () => {
    const refused = report.race.filter((outcome) => outcome !== null)
    expect(refused).toEqual([
      ['LangSmithConflictError', expect.stringContaining('Parent commit is not the latest commit')],
    ])
  })

  it('are refused in the words that callers know', () => {
    const errors = report.errors
    expect(errors.same).toEqual(['LangSmithConflictError', expect.stringContaining('Nothing to commit')])
    expect(errors['no prompt']![1]).toContain('Prompt does not exist, you must create it first.')
    expect(errors.taken![0]).toBe('LangSmithConflictError')
    expect(errors['no id']![1]).toMatch(/400 Client Error.*Manifest must have an id field/s)
    expect(errors.evil![1]).toMatch(/400 Client Error.*Manifest type system is not supported/s)
    expect(errors['no commit']).toEqual(['LangSmithNotFoundError', expect.stringContaining('not found')])
    expect(errors.stranger![1]).toContain('Cannot create a prompt for another tenant')
    expect(errors.public![1]).toContain('Cannot create a public prompt without first')
    expect(errors.identifier![1]).toContain('Invalid prompt identifier format: "a/b/c"')
    expect(errors.gone![1]).toBeTruthy()
  })
})

describe.skipIf(python === undefined)("LangChain's own hub for Python", () => {
  it('pushes prompts and chains, and pulls them ready to run', async () => {
    const name = aName('hub')
    const report = await runScript<Fields>('langchain_hub', { name, api_url: `${server.url}/api/v1` }, server.url)
    expect(report).toMatchObject({
      url: expect.stringMatching(new RegExp(`/prompts/${name}/[0-9a-f]{8}\\?organizationId=`)),
      newest: 'You are very brief.',
      oldest: true,
      notes: ['-', name],
      again: ['LangSmithConflictError', expect.stringContaining('Nothing to commit')],
      prompt: true,
      chain: [true, ['ChatPromptTemplate', 'StrOutputParser']],
      piped: 'YOU ARE VERY BRIEF.',
    })
    expect((report.stranger as string[])[1]).toMatch(/public prompt/i)
  })
})

describe.skipIf(python === undefined)('an annotation queue through the public Python client', () => {
  it('lives from its creation to its deletion', async () => {
    const name = aName('reviewed')
    const report = await runScript<Fields>('annotation_queues', { name }, server.url)
    expect(report.created).toMatchObject({ name, description: 'thumbs down' })
    // The client's own model leaves out the rubric's items.
    expect(report.read).toMatchObject({ name, rubric_instructions: 'Check.' })
    expect(report.updated).toMatchObject({ name: `${name}!`, description: 'better', rubric_instructions: 'Look.' })
    expect(report).toMatchObject({
      listed: [true, true, true, true],
      in_order: true,
      one: ['answer 1', { at: 1 }, { answer: 'é' }],
      needed: true,
      few: 2,
      left: true,
      past: ['LangSmithNotFoundError', expect.stringContaining('not found')],
      unknown: ['LangSmithNotFoundError', expect.any(String)],
      gone: ['LangSmithNotFoundError', expect.any(String)],
    })
  })
})
