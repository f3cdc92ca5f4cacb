import { describe, expect, it } from 'vitest'
import { describeLoss, ImportController, type ImportServices } from './import-controller.ts'
import type { ImportHost } from './import-host.ts'
import { ImportSession, type UploadPart } from './import-session.ts'

/** The session in the same thread, instead of a worker. */
function openHere(file: File): ImportHost {
  const session = new ImportSession(file)
  return {
    file,
    call: (method, ...args) => {
      const call = session[method] as (...args: readonly unknown[]) => never
      return call.apply(session, args)
    },
    close() {},
  }
}

function startImport(lines: number, upload: (part: UploadPart) => Promise<void>) {
  const removed: string[] = []
  const services: ImportServices = {
    datasetId: '018f0000-0000-7000-8000-000000000000',
    schemas: { inputs: null, outputs: null, isTransformed: false },
    open: openHere,
    readKnownKeys: async () => ({ inputs: [], outputs: [] }),
    upload,
    readRefused: (error) => (error instanceof Refused ? error.ids : {}),
    remove: async (ids) => void removed.push(...ids),
  }
  const controller = new ImportController(services)
  const text = Array.from({ length: lines }, (_, index) => `{"n":${index}}\n`).join('')
  return { controller, removed, file: new File([text], 'a.jsonl') }
}

class Refused extends Error {
  constructor(readonly ids: Record<string, string>) {
    super('refused')
  }
}

describe('an import', () => {
  it('goes from the file to stored examples', async () => {
    const parts: UploadPart[] = []
    const { controller, file } = startImport(1_500, async (part) => void parts.push(part))
    await controller.openFile(file)
    expect(controller.state.read()).toMatchObject({ step: 'map', isReading: false })
    await controller.check()
    expect(controller.state.read().report).toMatchObject({ good: 1_500, bad: 0 })
    await controller.send()
    expect(controller.state.read()).toMatchObject({ step: 'send', sending: 'done', sent: 1_500 })
    expect(parts.map(({ ids }) => ids.length)).toEqual([1_000, 500])
  })

  it('repeats the failed request with the same ids, and undo removes also what may have been stored', async () => {
    const sent: (readonly string[])[] = []
    let fails = true
    const { controller, file, removed } = startImport(2_000, async ({ ids }) => {
      sent.push(ids)
      if (sent.length === 2 && fails) throw new Error('network')
    })
    await controller.openFile(file)
    await controller.check()
    await controller.send()
    expect(controller.state.read()).toMatchObject({ sending: 'failed', sent: 1_000 })
    fails = false
    await controller.resume()
    expect(sent[2]).toEqual(sent[1])
    expect(controller.state.read()).toMatchObject({ sending: 'done', sent: 2_000 })
    await controller.undo()
    expect(removed).toEqual([...(sent[0] ?? []), ...(sent[1] ?? [])])
    expect(controller.state.read()).toMatchObject({ sending: 'undone', sent: 0 })
  })

  it('stops between two requests when it is canceled', async () => {
    const { controller, file } = startImport(3_000, async () => controller.cancel())
    await controller.openFile(file)
    await controller.check()
    await controller.send()
    expect(controller.state.read()).toMatchObject({ sending: 'canceled', sent: 1_000 })
  })

  it('leaves out what the server refuses, and names it', async () => {
    let isFirst = true
    const { controller, file } = startImport(3, async ({ ids }) => {
      if (!isFirst) return
      isFirst = false
      throw new Refused({ [ids[1] ?? '']: 'inputs.n: must be a string' })
    })
    await controller.openFile(file)
    await controller.check()
    await controller.send()
    const { sent, report } = controller.state.read()
    expect(sent).toBe(2)
    expect(report).toMatchObject({ good: 0, bad: 1 })
    expect(report?.badRows).toEqual([{ number: 2, source: '{"n":1}', problems: ['inputs.n: must be a string'] }])

    controller.goTo('check')
    expect(await controller.fixRow(2, '{"n":"1"}')).toEqual([])
    await controller.send()
    expect(controller.state.read()).toMatchObject({ sent: 3, report: { good: 0, bad: 0 } })
  })

  it('loses nothing when it is closed before an edit or after it is complete', async () => {
    const { controller, file } = startImport(3, async () => undefined)
    const lossOf = () => describeLoss(controller.state.read())
    await controller.openFile(file)
    expect(lossOf()).toBeUndefined()
    controller.changeColumn(0, { path: 'number' })
    expect(lossOf()).toContain('as you mapped them')
    await controller.check()
    expect(lossOf()).toContain('as you mapped them')
    await controller.send()
    expect(lossOf()).toBeUndefined()
    controller.goTo('check')
    expect(lossOf()).toBeUndefined()
    controller.noteEdit()
    expect(lossOf()).toContain('rows that you fixed')
  })

  it('loses Continue and Undo when it is closed after a failure', async () => {
    let sent = 0
    const { controller, file } = startImport(2_000, async () => {
      sent += 1
      if (sent > 1) throw new Error('network')
    })
    await controller.openFile(file)
    await controller.check()
    await controller.send()
    expect(describeLoss(controller.state.read())).toContain('neither continued nor undone')
    await controller.undo()
    expect(describeLoss(controller.state.read())).toBeUndefined()
  })

  it('reports what is wrong with a file', async () => {
    const { controller } = startImport(1, async () => undefined)
    await controller.openFile(new File(['[{"a":1},'], 'a.json'))
    expect(controller.state.read()).toMatchObject({ step: 'file', isReading: false })
    expect(String(controller.state.read().error)).toContain('JSON')
  })
})
