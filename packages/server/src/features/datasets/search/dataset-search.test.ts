import { contract, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { ANY_ROW } from '../../../storage/rows.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { splitWords } from './sync-index.ts'

const { datasetSearch, datasets, examples } = contract

describe('the words of an example', () => {
  it.each([
    [
      'values in lower case, each once',
      '{"Key":"What is, IS\\nit?","n":{"deep":[4.5,"ﬁne"]}}',
      ['what', 'is', 'it', '4', '5', 'fine'],
    ],
    ['pairs of characters where no spaces stand', '{"q":"東京都 tower"}', ['東京', '京都', 'tower']],
    ['those of a text that was cut off', '{"q":"one tw', ['q', 'one', 'tw']],
    ['none of what is no word', '{"q":"\\u0000 !? \\ud800","b":true,"n":null}', []],
  ])('are %s', (_, json, words) => {
    expect(splitWords(json)).toEqual(words)
  })

  it('are limited in number and length for every text', () => {
    const text = Array.from({ length: 5000 }, (_, at) => `${at}${'x'.repeat(100)}`).join(' ')
    const words = splitWords(JSON.stringify({ text }))
    expect([words.length, Math.max(...words.map((word) => word.length))]).toEqual([200, 64])
  })
})

describe.each(relationalEngines(import.meta.filename))('search examples on %s', (_, open) => {
  let app: StartedApp
  let relational: Relational
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const QUESTIONS = [
    'Capital of France?',
    'Population of Paris?',
    'Population of the whole of France and all its islands?',
    'Who wrote Faust?',
    "Who's O'Brien \\ 'quoted'?",
  ]

  async function aDataset(questions: readonly string[] = QUESTIONS, schema?: object) {
    const { body } = await app.call(datasets.create, {
      body: { name: `searched ${uuid7()}`, inputs_schema_definition: schema ?? null },
    })
    if (questions.length > 0) await add(body.id, questions)
    return body.id
  }
  async function add(dataset_id: string, questions: readonly string[]) {
    const body = questions.map((question, level) => ({
      dataset_id,
      inputs: { question },
      outputs: { n: 1 },
      metadata: { level },
    }))
    const made = await app.call(examples.createMany, { body })
    expect(made.status, made.text).toBe(200)
    return made.body
  }
  const search = (dataset_id: string, question: string, more: object = {}) =>
    app.call(datasetSearch.search, { params: { dataset_id }, body: { inputs: { question }, ...more } })
  const found = async (...asked: Parameters<typeof search>) => {
    const answer = await search(...asked)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.examples.map(({ inputs }) => inputs.question)
  }

  it('returns the best match first and fills up with others', async () => {
    const id = await aDataset()
    const answer = await search(id, 'population of paris', { limit: 3, debug: true })
    expect(answer.body.examples.map(({ inputs }) => inputs.question).slice(0, 2)).toEqual([
      'Population of Paris?',
      'Population of the whole of France and all its islands?',
    ])
    expect(answer.body.examples).toHaveLength(3)
    expect(answer.body.examples[0]).toEqual({
      id: expect.any(String),
      inputs: { question: 'Population of Paris?' },
      outputs: { n: 1 },
      metadata: { level: 1, dataset_split: ['base'] },
    })
    expect((await found(id, 'faust'))[0]).toBe('Who wrote Faust?')
    expect(await found(id, 'faust')).toHaveLength(5)
    expect((await found(id, "o'brien \\ quoted"))[0]).toBe(QUESTIONS[4])
    expect(await found(id, 'nothing known', { limit: 2 })).toHaveLength(2)
    expect(await found(id, '???', { limit: 2 })).toHaveLength(2)
  })

  it('is limited to its dataset', async () => {
    const [one, other] = [await aDataset(['alpha', 'beta']), await aDataset(['alpha', 'gamma'])]
    expect((await found(one, 'alpha gamma')).sort()).toEqual(['alpha', 'beta'])
    expect((await found(other, 'alpha gamma')).sort()).toEqual(['alpha', 'gamma'])
  })

  it('includes every change, and excludes deleted examples', async () => {
    const id = await aDataset()
    expect((await found(id, 'volcano'))[0]).not.toContain('volcano')
    const [added] = await add(id, ['Where is the volcano?'])
    expect((await found(id, 'volcano'))[0]).toBe('Where is the volcano?')
    await app.call(examples.update, {
      params: { example_id: added!.id },
      body: { inputs: { question: 'Where is the lake?' } },
    })
    expect((await found(id, 'volcano'))[0]).not.toContain('volcano')
    expect((await found(id, 'lake'))[0]).toBe('Where is the lake?')
    await app.call(examples.delete, { params: { example_id: added!.id } })
    expect(await found(id, 'lake')).not.toContain('Where is the lake?')
  })

  it('stores no words of erased examples', async () => {
    const id = await aDataset(['secret'])
    await found(id, 'secret')
    const listed = await app.call(examples.list, { query: { dataset: id } })
    const example_ids = listed.body.map((example) => example.id)
    await app.call(examples.hardDelete, { body: { example_ids, hard_delete: true } })
    const stored = await relational.db.execute(sql`select words from example_words where dataset_id = ${id}`)
    expect(toRows(stored, ANY_ROW)).toEqual([])
    expect(await found(id, 'secret')).toEqual([])
  })

  it('filters by metadata', async () => {
    const id = await aDataset()
    expect(await found(id, 'population of paris', { filter: 'gte(metadata.level, 2)' })).toEqual([
      QUESTIONS[2],
      ...QUESTIONS.slice(3),
    ])
    expect((await search(id, 'x', { filter: 'eq(' })).status).toBe(400)
  })

  it('searches the version of the tag', async () => {
    const id = await aDataset(['old volcano'])
    const params = { dataset_id: id }
    await app.call(contract.datasetVersions.tag, { params, body: { as_of: 'latest', tag: 'v1' } })
    await add(id, ['new volcano'])
    expect((await found(id, 'volcano')).sort()).toEqual(['new volcano', 'old volcano'])

    expect((await app.call(datasetSearch.index, { params, body: { tag: 'v1' } })).text).toBe('{}')
    expect(await found(id, 'volcano')).toEqual(['old volcano'])
    expect((await app.call(datasetSearch.readIndex, { params })).body).toMatchObject({ dataset_id: id, tag: 'v1' })
    await app.call(contract.datasetVersions.tag, { params, body: { as_of: 'latest', tag: 'v1' } })
    expect(await found(id, 'volcano')).toHaveLength(2)
    expect((await app.call(datasetSearch.index, { params, body: { tag: 'never' } })).status).toBe(404)
    expect((await app.call(datasetSearch.index, { params, body: {} })).status).toBe(200)
    expect((await app.call(datasetSearch.readIndex, { params })).body.tag).toBe('latest')
  })

  it('indexes and deletes the index on request', async () => {
    const id = await aDataset()
    const params = { dataset_id: id }
    const read = () => app.call(datasetSearch.readIndex, { params })
    expect((await read()).status).toBe(404)
    await found(id, 'paris')
    const [version] = (await app.call(contract.datasetVersions.list, { params })).body
    expect((await read()).body).toEqual({ dataset_id: id, tag: 'latest', last_updated_version: version!.as_of })
    expect((await app.call(datasetSearch.deleteIndex, { params })).text).toBe('null')
    expect((await read()).status).toBe(404)
    expect((await app.call(datasetSearch.syncIndex, { params })).text).toBe('null')
    expect((await found(id, 'faust'))[0]).toBe('Who wrote Faust?')
  })

  it('returns nothing for an empty dataset, and 404 for an unknown one', async () => {
    expect(await found(await aDataset([]), 'x')).toEqual([])
    expect((await search(uuid7(), 'x')).status).toBe(404)
  })

  it('checks the inputs against the schema', async () => {
    const id = await aDataset(['a b'], { properties: { question: { type: 'string' } } })
    const answer = await app.call(datasetSearch.search, {
      params: { dataset_id: id },
      body: { inputs: { question: 1 } },
    })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('must be string')
  })
})
