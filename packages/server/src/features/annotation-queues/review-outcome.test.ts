import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract

describe.each(relationalEngines(import.meta.filename))('the outcome of reviews on %s', (_, open) => {
  const fixture = aQueueApp(open)
  const { add, listRuns, say } = fixture

  it('is exported with completed runs, scores and comments', async () => {
    const runs = await someRuns(fixture.app, 3)
    const queue = await aQueue(fixture.app, { name: 'bad "answers"' }, runs)
    const give = (run_id: string, key: string, fields: object) =>
      fixture.app.call(contract.feedback.create, { body: { run_id, key, ...fields } })
    await give(runs[0]!, 'correct', { score: 1, comment: 'well, "yes"' })
    fixture.nowMs += 1
    await give(runs[0]!, 'correct', { score: 0 })
    await give(runs[1]!, 'tone', { value: 'rude' })
    for (const run of (await listRuns(queue)).slice(0, 2)) await say(run.queue_run_id, { status: 'completed' })
    const path = `/annotation-queues/${queue}/export`
    const plain = await fixture.app.fetch(path, { method: 'POST', body: '{}' })
    expect(plain.headers.get('content-type')).toContain('text/csv')
    expect(plain.headers.get('content-disposition')).toContain('bad')
    expect(await plain.text()).toBe(
      [
        'run_id,inputs,outputs,feedback.correct,feedback.tone,comment',
        `${runs[0]},"{""at"":0}","{""answer"":0}",0.5,,"correct: well, ""yes"""`,
        `${runs[1]},"{""at"":1}","{""answer"":1}",,rude,`,
        '',
      ].join('\n'),
    )
    const detail = await fixture.app.fetch(path, { method: 'POST', body: '{"include_annotator_detail":true}' })
    const [header, first] = (await detail.text()).split('\n')
    expect(header).toMatch(/,comment,completed_by$/)
    expect(first).toContain('1; 0')
    expect(first).toMatch(/,local$/)
    const later = JSON.stringify({ start_time: new Date(fixture.nowMs + 1000).toISOString() })
    expect(await (await fixture.app.fetch(path, { method: 'POST', body: later })).text()).toBe(
      'run_id,inputs,outputs,comment\n',
    )
    expect((await fixture.app.fetch(`/annotation-queues/${uuid7()}/export`, { method: 'POST' })).status).toBe(404)
  })

  describe('added as an example', () => {
    const correct = (queue_id: string, queue_run_id: string, body?: object | string) =>
      fixture.app.call(routes.addExample, { params: { queue_id, queue_run_id }, ...(body !== undefined && { body }) })
    const aDataset = async () =>
      (await fixture.app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body.id
    const examplesOf = async (dataset: string) =>
      (await fixture.app.call(contract.examples.list, { query: { dataset } })).body

    it('is written to the default dataset, and replaced the second time', async () => {
      const dataset = await aDataset()
      const [run] = await someRuns(fixture.app, 1)
      const queue = await aQueue(fixture.app, { default_dataset: dataset }, [run!])
      const [entry] = await listRuns(queue)
      const first = await correct(queue, entry!.queue_run_id)
      expect(first.status, first.text).toBe(200)
      expect(first.body).toMatchObject({
        dataset_id: dataset,
        inputs: { at: 0 },
        outputs: { answer: 0 },
        source_run_id: run,
      })
      const outputs = '{"answer":12345678901234567890}'
      const second = await correct(queue, run!, `{"outputs":${outputs},"metadata":{"by":"me"},"split":"hard"}`)
      expect(second.text).toContain(`"outputs":${outputs}`)
      expect(second.body).toMatchObject({
        id: first.body.id,
        inputs: { at: 0 },
        metadata: { by: 'me', dataset_split: ['hard'] },
      })
      expect(await examplesOf(dataset)).toHaveLength(1)
      await fixture.app.call(contract.examples.delete, { params: { example_id: first.body.id } })
      expect((await correct(queue, run!)).body.id).not.toBe(first.body.id)
      expect(await examplesOf(dataset)).toHaveLength(1)
    })

    it('replaces the proposed example', async () => {
      const dataset = await aDataset()
      const body = { dataset_id: dataset, inputs: { old: true } }
      const proposed = (await fixture.app.call(contract.examples.create, { body })).body.id
      const [run] = await someRuns(fixture.app, 1)
      const queue = await aQueue(fixture.app, { default_dataset: dataset })
      const [entry] = (await add(queue, [{ run_id: run, source_proposed_example_id: proposed }])).body
      expect((await correct(queue, entry!.id, { outputs: { right: 1 } })).body.id).toBe(proposed)
      expect(await examplesOf(dataset)).toMatchObject([{ id: proposed, inputs: { at: 0 }, outputs: { right: 1 } }])
    })

    it('is rejected without a dataset, by its schema, and for unknown items', async () => {
      const [run] = await someRuns(fixture.app, 1)
      const bare = await aQueue(fixture.app, {}, [run!])
      expect((await correct(bare, run!)).status).toBe(400)
      const schema = { type: 'object', required: ['question'] }
      const body = { name: `d-${uuid7()}`, inputs_schema_definition: schema }
      const dataset = (await fixture.app.call(contract.datasets.create, { body })).body.id
      const strict = await aQueue(fixture.app, { default_dataset: dataset }, [run!])
      expect((await correct(strict, run!)).status).toBe(400)
      expect((await correct(strict, run!, { inputs: { question: '?' } })).status).toBe(200)
      expect((await correct(strict, uuid7())).status).toBe(404)
      expect((await correct(uuid7(), run!)).status).toBe(404)
    })
  })
})
