import { readManifest } from '@touchstone/contract/prompt-manifest'
import { describe, expect, it } from 'vitest'
import pushed from '../../../../contract/src/prompts/manifest/testing/client-manifests.json' with { type: 'json' }
import { listDiffSections } from './diff.ts'

const lc = <Kwargs extends object>(id: string, kwargs: Kwargs) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', id],
  kwargs,
})
const template = (text: string, template_format = 'f-string') =>
  lc('PromptTemplate', { template: text, template_format })
const chat = (text: string, more: object = {}) =>
  lc('ChatPromptTemplate', { messages: [lc('SystemMessagePromptTemplate', { prompt: template(text) })], ...more })
const chain = (text: string, settings: object, tools: object[] = []) =>
  lc('RunnableSequence', {
    first: chat(text),
    last: lc('RunnableBinding', { bound: lc('ChatOpenAI', settings), kwargs: { tools } }),
  })

function side(manifest: unknown) {
  const read = readManifest(manifest)
  return { manifest, document: 'document' in read ? read.document : undefined }
}

/** Copies of a manifest, each with one other value. */
function listChanges(manifest: unknown): { path: string; manifest: unknown }[] {
  const changes: { path: string; manifest: unknown }[] = []
  const visit = (value: unknown, path: string[]) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key])
      return
    }
    const copy = structuredClone(manifest) as Record<string, unknown>
    let parent = copy
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>
    parent[path.at(-1)!] = typeof value === 'string' ? `${value}x` : typeof value === 'boolean' ? !value : 7
    changes.push({ path: path.join('.'), manifest: copy })
  }
  visit(manifest, [])
  return changes
}

const titles = (a: unknown, b: unknown) => listDiffSections(side(a), side(b)).map(({ title }) => title)

describe('the differences of two commits', () => {
  it('are none for the same content', () => {
    expect(titles(chain('Hi', { model: 'a' }), chain('Hi', { model: 'a' }))).toEqual([])
  })

  it('are listed apart: messages, model, tools', () => {
    expect(titles(chat('Hi'), chat('Hello'))).toEqual(['Messages'])
    expect(titles(chain('Hi', { temperature: 0 }), chain('Hi', { temperature: 1 }))).toEqual(['Model'])
    const tool = { name: 'find', parameters: {} }
    expect(titles(chain('Hi', {}), chain('Hello', { model: 'a' }, [tool]))).toEqual(['Messages', 'Model', 'Tools'])
    expect(titles(chat('Hi'), chain('Hi', { model: 'a' }))).toEqual(['Model'])
  })

  it('name a change of the schema and of values that the prompt fills in', () => {
    const structured = (schema_: object) => lc('StructuredPrompt', { messages: [], schema_ })
    expect(titles(structured({ a: 1 }), structured({ a: 2 }))).toEqual(['Output schema'])
    const filled = (day: string) => chat('Hi', { partial_variables: { day } })
    expect(titles(filled('a'), filled('b'))).toEqual(['Values of variables'])
  })

  it('name a change of the language of a template, which no text shows', () => {
    const [section] = listDiffSections(side(template('Hi')), side(template('Hi', 'mustache')))
    expect(section?.request).toMatchObject({
      kind: 'chat',
      a: [{ role: 'prompt', text: 'Hi' }],
      b: [{ role: 'prompt (mustache)', text: 'Hi' }],
    })
  })

  it('are those of the manifest where nothing else shows them', () => {
    expect(titles(lc('FewShotPromptTemplate', { a: 1 }), chat('Hi'))).toEqual(['Manifest'])
    expect(titles(chat('Hi', { output_parser: 1 }), chat('Hi', { output_parser: 2 }))).toEqual(['Rest of the manifest'])
    expect(titles(chat('Hi', { metadata: { a: 1 } }), chat('Hi', { metadata: { a: 2 } }))).toEqual(['Metadata'])
  })

  it('show a change of the structure of messages beside other changes', () => {
    const parts = (...texts: object[]) => lc('HumanMessagePromptTemplate', { prompt: texts })
    const image = lc('ImagePromptTemplate', { template: { url: 'a.png' } })
    const prompt = (messages: object[], day: string) =>
      lc('ChatPromptTemplate', { messages, partial_variables: { day } })
    const [a, b] = [template('a'), template('b')]
    const both = ['Messages', 'Values of variables']
    expect(titles(prompt([parts(a, b)], 'x'), prompt([parts(template('a\nb'))], 'y'))).toEqual(both)
    expect(titles(prompt([parts(image)], 'x'), prompt([parts(template('(image) a.png'))], 'y'))).toEqual(both)
    const [section] = listDiffSections(
      side(prompt([parts(a), parts(a, b)], 'x')),
      side(prompt([parts(b), parts(template('a\nb'))], 'x')),
    )
    expect(JSON.stringify(section?.request)).toContain('2 parts')
  })

  it('name what no part shows beside a change of the messages', () => {
    const parsed = (text: string, parser: object) => {
      const { kwargs, ...sequence } = chain(text, { model: 'a' })
      const steps = { first: kwargs.first, middle: [kwargs.last], last: lc('StrOutputParser', parser) }
      return { ...sequence, kwargs: steps }
    }
    const both = ['Messages', 'Rest of the manifest']
    expect(titles(parsed('Hi', { strict: true }), parsed('Hello', { strict: false }))).toEqual(both)
    expect(titles(chain('Hi', { model: 'a' }), parsed('Hello', {}))).toEqual(both)
    expect(titles(chat('Hi', { output_parser: 1 }), chat('Hello', { output_parser: 2 }))).toEqual(both)
    expect(titles({ ...chat('Hi'), id: ['other', 'ChatPromptTemplate'] }, chat('Hello'))).toEqual(both)
  })

  it('have no rest for what every new message and model brings along', () => {
    const { jsChain, pythonChat } = pushed
    const longer = structuredClone(pythonChat)
    const [first] = longer.kwargs.messages
    longer.kwargs.messages.push(structuredClone(first!))
    expect(titles(pythonChat, longer)).toEqual(['Messages'])
    expect(titles(jsChain.kwargs.first, jsChain)).toEqual(['Model'])
  })

  it.each(Object.entries(pushed))(
    'show a change of any value of %s, beside a change of its first text',
    (_, before) => {
      const after = JSON.parse(JSON.stringify(before).replace(/(You are|Tell me|Hi|Braces|\{\{q)/, 'NEW $1'))
      const compare = (manifest: unknown) => JSON.stringify(listDiffSections(side(before), side(manifest)))
      const usual = compare(after)
      const hidden = listChanges(after).filter(({ manifest }) => compare(manifest) === usual)
      expect(hidden.map(({ path }) => path)).toEqual([])
    },
  )

  it('survive values of 20,000 levels', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 20_000; level++) deep = [deep]
    expect(titles(chain('Hi', { deep }), chain('Hi', {}))).toEqual(['Model'])
    expect(titles({ deep }, { deep: [deep] })).toEqual([])
  })
})
