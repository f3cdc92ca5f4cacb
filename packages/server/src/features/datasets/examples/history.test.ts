import { randomInt } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleInForm, exampleForm } from '../../../testing/example-form.ts'
import { everyRelationalEngine } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { DatasetModel, type ModelExample } from './testing/dataset-model.ts'
import { Dice } from './testing/random.ts'

const seed = Number(process.env.TOUCHSTONE_MODEL_SEED ?? randomInt(2 ** 31))
const steps = Number(process.env.TOUCHSTONE_MODEL_STEPS ?? 250)
const SPLITS = ['base', 'train', 'test', 'a,b', 'ü']
const TAGS = ['prod', 'git:branch:feature/x', 'v1']

describe.each(everyRelationalEngine)(`random edits of a dataset on %s, seed ${seed}`, (_engine, open) => {
  let app: StartedApp
  let now = Date.parse('2025-03-01T10:00:00.000Z')
  const { datasets, datasetVersions: versions, examples } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open(), clock: () => now })
  })
  afterAll(() => app.close())

  it(`leave every version as a simple model has it, over ${steps} steps`, { timeout: 300_000 }, async () => {
    const dice = new Dice(seed)
    const model = new DatasetModel()
    const { body: dataset } = await app.call(datasets.create, { body: { name: 'modelled' } })
    const params = { dataset_id: dataset.id }

    const newestVersion = async () => (await app.call(versions.read, { params, query: { tag: 'latest' } })).body.as_of
    const send = async (method: string, form: readonly ExampleInForm[]) => {
      const path = `/v1/platform/datasets/${dataset.id}/examples`
      const answer = await app.fetch(path, { method, body: exampleForm(form) })
      return { status: answer.status, body: (await answer.json()) as { as_of: string } }
    }
    const payload = () => ({ n: dice.roll(1000) })
    const existing = () => [...model.newest.keys()]

    const edits: Record<string, () => Promise<void>> = {
      async create() {
        const made = Array.from({ length: 1 + dice.roll(6) }, () => ({
          id: dice.id(),
          inputs: payload(),
          outputs: dice.roll(2) === 0 ? payload() : null,
          metadata: payload(),
          splits: dice.some(SPLITS, 2),
        }))
        const form = made.map(({ id, inputs, outputs, metadata, splits }) => {
          return { id, inputs, main: { metadata, split: splits }, ...(outputs && { outputs }) }
        })
        const { status, body } = await send('POST', form)
        expect(status).toBe(201)
        model.record(body.as_of, (all) => {
          for (const one of made) all.set(one.id, { ...one, changedAt: body.as_of })
        })
      },
      async createTwice() {
        const taken = dice.one([...model.everTaken])
        const { status } = await send('POST', [
          { id: dice.id(), inputs: {} },
          { id: taken, inputs: {} },
        ])
        expect(status).toBe(409)
      },
      async update() {
        const changes = dice.some(existing(), 5).map((id) => ({
          id,
          ...(dice.roll(2) === 0 && { inputs: payload() }),
          ...(dice.roll(2) === 0 && { outputs: payload() }),
          main: {
            ...(dice.roll(2) === 0 && { metadata: payload() }),
            ...(dice.roll(3) === 0 && { split: dice.some(SPLITS, 2) }),
          } as { metadata?: object; split?: string[] },
        }))
        const { status, body } = await send('PATCH', changes)
        expect(status).toBe(201)
        model.record(body.as_of, (all) => {
          for (const { id, main, ...given } of changes) {
            const before = all.get(id)!
            const { metadata = before.metadata, split: splits = before.splits } = main
            all.set(id, { ...before, ...given, metadata, splits, changedAt: body.as_of })
          }
        })
      },
      async updateClassic() {
        const changes = dice.some(existing(), 3).map((id) => ({ id, inputs: payload() }))
        expect((await app.call(examples.updateMany, { body: changes })).status).toBe(200)
        const asOf = await newestVersion()
        model.record(asOf, (all) => {
          for (const change of changes) all.set(change.id, { ...all.get(change.id)!, ...change, changedAt: asOf })
        })
      },
      async updateUnknown() {
        const [known] = existing()
        const { status } = await send('PATCH', [
          { id: known!, inputs: {} },
          { id: dice.id(), inputs: {} },
        ])
        expect(status).toBe(404)
      },
      async remove() {
        const ids = dice.some(existing(), 3)
        expect((await app.call(examples.deleteMany, { query: { example_ids: ids } })).status).toBe(200)
        const asOf = await newestVersion()
        model.record(asOf, (all) => {
          for (const id of ids) all.delete(id)
        })
      },
      async erase() {
        const ids = dice.some(existing(), 1)
        expect((await app.call(examples.hardDelete, { body: { example_ids: ids, hard_delete: true } })).status).toBe(
          200,
        )
        model.record(await newestVersion(), () => {})
        model.erase(ids)
      },
      async split() {
        const ids = dice.some(existing(), 4)
        const name = dice.one(SPLITS)
        const remove = dice.roll(2) === 0
        const before = model.versions.at(-1)!.asOf
        const answer = await app.call(versions.updateSplits, {
          params,
          body: { split_name: name, examples: ids, remove },
        })
        expect(answer.status).toBe(200)
        const next = ({ splits }: ModelExample) => {
          if (!remove) return splits.includes(name) ? splits : [...splits, name]
          const left = splits.filter((one) => one !== name)
          return left.length === 0 ? ['base'] : left
        }
        const changed = ids.filter((id) => String(next(model.newest.get(id)!)) !== String(model.newest.get(id)!.splits))
        expect([...answer.body].sort()).toEqual([...changed].sort())
        const asOf = await newestVersion()
        expect(asOf !== before).toBe(changed.length > 0)
        if (changed.length === 0) return
        model.record(asOf, (all) => {
          for (const id of changed) all.set(id, { ...all.get(id)!, splits: next(all.get(id)!), changedAt: asOf })
        })
      },
      async tag() {
        const name = dice.one(TAGS)
        const instant = aTime()
        const answer = await app.call(versions.tag, { params, body: { tag: name, as_of: instant } })
        const expected = model.versionAt(instant)
        expect(answer.status).toBe(expected === undefined ? 404 : 200)
        if (expected === undefined) return
        expect(answer.body.as_of).toBe(expected.asOf)
        model.tags.set(name, expected.asOf)
      },
    }

    /** The instant of a version, or one near it, in any spelling that clients use. */
    const aTime = () => {
      const near = Date.parse(dice.one(model.versions).asOf) + dice.roll(3) - 1
      const text = new Date(near).toISOString()
      return dice.one([text, text.replace('Z', '000+00:00'), text.replace('T', ' ').replace('Z', '999+00:00')])
    }
    const aVersion = () => dice.one(['latest', aTime(), ...model.tags.keys()])

    const reads: Record<string, () => Promise<void>> = {
      async list() {
        const asOf = aVersion()
        const limit = 1 + dice.roll(10)
        const found: unknown[] = []
        for (let offset = 0; ; offset += limit) {
          const query = { dataset: dataset.id, as_of: asOf, limit: String(limit), offset: String(offset) }
          const page = await app.call(examples.list, { query })
          expect(page.status, page.text).toBe(200)
          found.push(...page.body.map(plain))
          if (page.body.length < limit) break
        }
        const expected = [...model.at(asOf).values()]
        expect(sortById(found as ModelExample[])).toEqual(sortById(expected.map(normal)))
        const times = (found as ModelExample[]).map(({ changedAt }) => changedAt)
        expect(times).toEqual([...times].sort().reverse())
      },
      async count() {
        const asOf = aVersion()
        const split = dice.one(SPLITS)
        const answer = await app.call(examples.count, { query: { dataset: dataset.id, as_of: asOf, splits: split } })
        const expected = [...model.at(asOf).values()].filter(({ splits }) => splits.includes(split))
        expect(answer.body).toBe(expected.length)
        const { body } = await app.call(datasets.read, { params })
        expect(body.example_count).toBe(model.newest.size)
      },
      async one() {
        const id = dice.one([...model.everTaken])
        const asOf = aVersion()
        const answer = await app.call(examples.read, { params: { example_id: id }, query: { as_of: asOf } })
        const expected = model.at(asOf).get(id)
        expect(answer.status).toBe(expected === undefined ? 404 : 200)
        if (expected !== undefined) expect(plain(answer.body)).toEqual(normal(expected))
      },
      async diff() {
        const [from, to] = [aVersion(), aVersion()]
        if ([from, to].some((asOf) => asOf !== 'latest' && !model.versionAt(model.tags.get(asOf) ?? asOf))) return
        const { body } = await app.call(versions.diff, { params, query: { from_version: from, to_version: to } })
        const sorted = Object.fromEntries(
          Object.entries(body).map(([kind, ids]) => [kind, [...(ids as string[])].sort()]),
        )
        expect(sorted).toEqual(model.diff(from, to))
      },
      async splits() {
        const asOf = aVersion()
        const { body } = await app.call(versions.listSplits, { params, query: { as_of: asOf } })
        const expected = new Set([...model.at(asOf).values()].flatMap(({ splits }) => splits))
        expect(body).toEqual([...expected].sort())
      },
      async versions() {
        const { body } = await app.call(versions.list, { params, query: { limit: '100' } })
        const newest = model.versions.slice(-100).reverse()
        expect(body.map(({ as_of }) => as_of)).toEqual(newest.map(({ asOf }) => asOf))
        for (const { as_of, tags } of body) {
          const expected = [...model.tags].filter(([, at]) => at === as_of).map(([name]) => name)
          if (as_of === newest[0]!.asOf) expected.push('latest')
          expect([...tags].sort()).toEqual(expected.sort())
        }
      },
    }

    await edits.create!()
    for (let step = 0; step < steps; step++) {
      now += dice.one([0, 0, 1, 2, 1000, -5])
      const isEmpty = model.newest.size === 0
      const [kind, act] = dice.one(Object.entries(isEmpty ? { create: edits.create! } : edits))
      const [readKind, look] = dice.one(Object.entries(reads))
      try {
        await act()
        await look()
      } catch (error) {
        throw new Error(`seed ${seed}, step ${step}: ${kind}, then ${readKind}: ${(error as Error).message}`, {
          cause: error,
        })
      }
    }
    for (const look of Object.values(reads)) await look()
  })
})

type Answered = {
  id: string
  inputs: object
  outputs: object | null
  metadata: Record<string, unknown>
  modified_at: string
}

/** An example of the server as the model writes it. */
function plain({ id, inputs, outputs, metadata, modified_at }: Answered): ModelExample {
  const { dataset_split: splits, ...rest } = metadata
  return { id, inputs, outputs, metadata: rest, splits: splits as string[], changedAt: modified_at }
}

const normal = ({ id, inputs, outputs, metadata, splits, changedAt }: ModelExample): ModelExample => {
  return { id, inputs, outputs, metadata, splits, changedAt }
}

const sortById = (all: readonly ModelExample[]) => [...all].sort((one, other) => (one.id < other.id ? -1 : 1))
