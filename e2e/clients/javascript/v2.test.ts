import { randomUUID } from 'node:crypto'
import type { Client } from 'langsmith'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, collect } from './a-client.ts'
import { aConversation, type Conversation } from './a-conversation.ts'

let server: SharedServer
let client: Client
let sent: Conversation
beforeAll(async () => {
  server = await shareServer()
  client = aClient(server.url)
  sent = await aConversation(client, 3)
})
afterAll(() => server?.stop())

/** Times as the server prints them: the client counts its runs in the last three digits. */
const startOf = (run: { id: string }) => client.readRun(run.id).then((read) => String(read.start_time))

describe('the generated JavaScript client', () => {
  it('queries runs page by page, with the fields it selects', async () => {
    const runs = await collect(
      client.runs.query({
        project_ids: [sent.projectId],
        is_root: true,
        page_size: 2,
        selects: [
          'ID',
          'NAME',
          'RUN_TYPE',
          'STATUS',
          'INPUTS',
          'OUTPUTS',
          'METADATA',
          'TAGS',
          'TOTAL_TOKENS',
          'TOTAL_COST',
        ],
      }),
    )

    expect(runs).toEqual(
      [...sent.traces].reverse().map(({ root }) => ({
        id: root.id,
        name: root.name,
        run_type: 'CHAIN',
        status: 'SUCCESS',
        inputs: root.inputs,
        outputs: root.outputs,
        metadata: expect.objectContaining(root.metadata),
        tags: ['e2e'],
        total_tokens: 30,
        total_cost: 0.75,
      })),
    )
    const filtered = await collect(
      client.runs.query({
        project_ids: [sent.projectId],
        filter: 'eq(name, "model")',
        trace_filter: 'eq(name, "turn 1")',
      }),
    )
    expect(filtered).toEqual([{ id: sent.traces[1]!.llm.id }])
    await expect(
      collect(client.runs.query({ project_ids: [sent.projectId], filter: 'eq(name' })),
    ).rejects.toMatchObject({
      status: 400,
    })
  })

  it('retrieves a run and the address of its page', async () => {
    const { llm, root } = sent.traces[0]!
    const where = { project_id: sent.projectId, start_time: await startOf(llm) }

    const run = await client.runs.retrieve(llm.id, {
      ...where,
      selects: [
        'ID',
        'RUN_TYPE',
        'PARENT_RUN_IDS',
        'LATENCY_SECONDS',
        'OUTPUTS',
        'PROMPT_TOKEN_DETAILS',
        'PROMPT_COST',
      ],
    })
    const { url } = await client.runs.getURL(llm.id, { ...where, trace_id: root.id })

    expect(run).toEqual({
      id: llm.id,
      run_type: 'LLM',
      parent_run_ids: [root.id],
      latency_seconds: expect.any(Number),
      outputs: llm.outputs,
      prompt_token_details: { raw: { cache_read: 5 } },
      prompt_cost: 0.5,
    })
    expect(url).toContain(`${server.url}/o/`)
    expect(url).toContain(`/projects/p/${sent.projectId}/r/${llm.id}?trace_id=${root.id}`)
    await expect(client.runs.retrieve(randomUUID(), where)).rejects.toMatchObject({ status: 404 })
  })

  it('shares a trace, reads it as the public would, and closes it', async () => {
    const { llm, root } = sent.traces[0]!
    const place = { session_id: sent.projectId, trace_id: root.id }

    const { share_token } = await client.runs.share.create(llm.id, place)
    expect(await client.runs.share.create(root.id, place)).toEqual({ share_token })
    const shown = await client.runs.retrieve(root.id, {
      project_id: sent.projectId,
      start_time: await startOf(root),
      selects: ['SHARE_URL'],
    })
    const list = await client.public.runs.query(share_token!, { selects: ['ID', 'NAME', 'PARENT_RUN_ID'] })
    const one = await client.public.runs.retrieve(llm.id, {
      share_token: share_token!,
      selects: ['ID', 'INPUTS', 'OUTPUTS'],
      start_time: await startOf(llm),
    })

    expect(shown).toEqual({ share_url: `${server.url}/public/${share_token}/r` })
    expect(list.items).toEqual([
      { id: root.id, name: root.name, parent_run_id: null },
      { id: llm.id, name: llm.name, parent_run_id: root.id },
    ])
    expect(one).toEqual({ id: llm.id, inputs: llm.inputs, outputs: llm.outputs })

    await client.runs.share.delete(root.id, { session_id: sent.projectId })
    await expect(client.public.runs.query(share_token!, {})).rejects.toMatchObject({ status: 404 })
  })

  it('lists traces and the runs of one', async () => {
    const traces = await collect(
      client.traces.query({
        project_id: sent.projectId,
        page_size: 2,
        selects: ['ID', 'NAME', 'TOTAL_TOKENS', 'TOTAL_COST'],
      }),
    )
    const { root, llm } = sent.traces[1]!
    const { items } = await client.traces.listRuns(root.id, { project_id: sent.projectId, selects: ['ID', 'RUN_TYPE'] })

    expect(traces).toEqual(
      [...sent.traces].reverse().map(({ root }) => ({
        root_run: { id: root.id, name: root.name },
        trace_aggregates: { total_tokens: 30, total_cost: 0.75 },
      })),
    )
    expect(items).toEqual([
      { id: root.id, run_type: 'CHAIN' },
      { id: llm.id, run_type: 'LLM' },
    ])
  })

  it('queries threads, their traces and their figures', async () => {
    const { projectId: project_id, threadId, traces } = sent
    const threads = await collect(client.threads.query({ project_id }))
    const none = await collect(client.threads.query({ project_id, thread_filter: 'gt(turn_count, 3)' }))
    const turns = await collect(
      client.threads.listTraces(threadId, {
        project_id,
        page_size: 2,
        selects: ['NAME', 'INPUTS', 'OP', 'TOTAL_TOKENS'],
      }),
    )
    const stats = await client.threads.stats(threadId, {
      session_id: project_id,
      selects: ['TURNS', 'TOTAL_TOKENS', 'TOTAL_COST', 'LATENCY_P50', 'PROMPT_TOKEN_DETAILS'],
    })

    expect(threads).toMatchObject([
      {
        thread_id: threadId,
        count: 3,
        first_trace_id: traces[0]!.root.id,
        last_trace_id: traces[2]!.root.id,
        num_errored_turns: 0,
        total_tokens: 90,
        total_cost: 2.25,
        total_token_details: { cache_read: 15 },
        last_outputs: '2!',
      },
    ])
    expect(none).toEqual([])
    expect(turns).toEqual(
      traces.map(({ root }) => ({ trace_id: root.id, name: root.name, inputs: root.inputs, op: 1, total_tokens: 30 })),
    )
    expect(stats).toEqual({
      turns: 3,
      total_tokens: 90,
      total_cost: 2.25,
      latency_p50_seconds: expect.any(Number),
      prompt_token_details: { raw: { cache_read: 15 } },
    })
  })
})
