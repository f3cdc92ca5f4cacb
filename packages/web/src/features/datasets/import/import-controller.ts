import { createStore } from '#lib/store.ts'
import type { DatasetSchemas } from './check-schema.ts'
import type { FileOptions } from './detect-file.ts'
import type { ImportHost } from './import-host.ts'
import type { CheckReport, FileColumn, Progress, UploadPart } from './import-session.ts'
import { type ColumnMapping, findMappingProblem, type KnownKeys, type Mapping } from './mapping.ts'
import type { RowSource } from './read-rows.ts'

export type ImportStep = 'file' | 'map' | 'check' | 'send'

export interface ImportState {
  readonly step: ImportStep
  readonly file: File | undefined
  readonly options: FileOptions | undefined
  readonly columns: readonly FileColumn[]
  readonly mapping: Mapping
  readonly report: CheckReport | undefined
  /** Rows checked so far. */
  readonly checkedRows: number
  /** Examples stored so far; the report counts those that are left. */
  readonly sent: number
  readonly sending: 'idle' | 'running' | 'canceling' | 'canceled' | 'failed' | 'done' | 'undoing' | 'undone'
  /** Whether the file is being read. */
  readonly isReading: boolean
  /** Whether the user changed columns or rows that are not imported yet. */
  readonly isEdited: boolean
  readonly error: unknown
}

export interface ImportServices {
  readonly datasetId: string
  readonly schemas: DatasetSchemas
  open(file: File, onProgress: (progress: Progress) => void): ImportHost
  readKnownKeys(): Promise<KnownKeys>
  /** Stores the examples; those that have the ids are replaced, so that a repeated request adds nothing twice. */
  upload(part: UploadPart): Promise<void>
  /** The refused examples of a failed upload, by id, with reasons. */
  readRefused(error: unknown): Readonly<Record<string, string>>
  /** Removes the examples; unknown ids are ignored. */
  remove(ids: readonly string[]): Promise<void>
}

const START: ImportState = {
  step: 'file',
  file: undefined,
  options: undefined,
  columns: [],
  mapping: [],
  report: undefined,
  checkedRows: 0,
  sent: 0,
  sending: 'idle',
  isReading: false,
  isEdited: false,
  error: undefined,
}

/** The steps of an import: a file is chosen, its columns are mapped, its rows are checked and then sent. */
export class ImportController {
  readonly state = createStore<ImportState>(() => START)
  private host: ImportHost | undefined
  private pending: UploadPart | undefined
  private ids: string[] = []

  constructor(private readonly services: ImportServices) {}

  async openFile(file: File): Promise<void> {
    this.host?.close()
    this.state.write({ ...START, file })
    this.host = this.services.open(file, ({ rows }) => this.set({ checkedRows: rows }))
    await this.readStart()
  }

  /** Reads the file again with what the user chose instead of what was detected. */
  async changeOptions(change: Partial<FileOptions>): Promise<void> {
    const { options } = this.state.read()
    if (options === undefined) return
    this.noteEdit()
    await this.readStart({ ...options, ...change })
  }

  changeColumn(index: number, change: Partial<ColumnMapping>): void {
    const { mapping } = this.state.read()
    this.noteEdit()
    this.set({ mapping: mapping.map((one, at) => (at === index ? { ...one, ...change } : one)), report: undefined })
  }

  /** Notes that there is something to lose, for example the text of a row that is being fixed. */
  noteEdit(): void {
    if (!this.state.read().isEdited) this.set({ isEdited: true })
  }

  goTo(step: ImportStep): void {
    this.set({ step, error: undefined })
  }

  async check(): Promise<void> {
    const { mapping } = this.state.read()
    this.set({ step: 'check', report: undefined, checkedRows: 0, isReading: true, error: undefined })
    try {
      const report = await this.host?.call('checkRows', mapping, this.services.schemas)
      if (report !== undefined) this.set({ report, isReading: false })
    } catch (error) {
      this.set({ error, isReading: false })
    }
  }

  /** @returns what is still wrong with the row */
  async fixRow(number: number, source: RowSource): Promise<readonly string[]> {
    const { mapping, report } = this.state.read()
    const problems = (await this.host?.call('fixRow', number, source, mapping)) ?? []
    const bad = await this.host?.call('listBad')
    if (report && bad) this.set({ report: { ...report, ...bad, good: report.good + report.bad - bad.bad } })
    return problems
  }

  async printBadRows(): Promise<string> {
    return (await this.host?.call('printBadRows')) ?? ''
  }

  async send(): Promise<void> {
    const { mapping } = this.state.read()
    this.set({ step: 'send', error: undefined })
    this.pending = undefined
    const target = { datasetId: this.services.datasetId, createdAt: new Date().toISOString() }
    await this.host?.call('startUpload', mapping, target)
    await this.resume()
  }

  /** Continues after a failure with the request that failed. */
  async resume(): Promise<void> {
    this.set({ sending: 'running', error: undefined })
    try {
      for (;;) {
        this.pending ??= await this.host?.call('nextPart')
        if (this.pending === undefined) return this.set({ sending: 'done', isEdited: false })
        // Waiting for the answer of a started request keeps what was stored and what is counted the same.
        if (this.state.read().sending === 'canceling') return this.set({ sending: 'canceled' })
        await this.sendPart(this.pending)
      }
    } catch (error) {
      this.set({ sending: 'failed', error })
    }
  }

  cancel(): void {
    if (this.state.read().sending === 'running') this.set({ sending: 'canceling' })
  }

  /** Removes exactly the examples that this import added. */
  async undo(): Promise<void> {
    this.set({ sending: 'undoing', error: undefined })
    try {
      // The outcome of a request that failed is unknown.
      await this.services.remove([...this.ids, ...(this.pending?.ids ?? [])])
      await this.host?.call('forgetStored')
      this.countSent(-this.state.read().sent)
      this.ids = []
      this.pending = undefined
      this.set({ sending: 'undone' })
    } catch (error) {
      this.set({ sending: 'failed', error })
    }
  }

  close(): void {
    this.host?.close()
    this.host = undefined
  }

  private async readStart(options?: FileOptions): Promise<void> {
    this.set({ isReading: true, error: undefined })
    try {
      const known = await this.services.readKnownKeys()
      const preview = await this.host?.call('preview', known, options)
      if (preview) this.set({ ...preview, step: 'map', report: undefined, isReading: false })
    } catch (error) {
      this.set({ error, isReading: false })
    }
  }

  private async sendPart(part: UploadPart): Promise<void> {
    try {
      await this.services.upload(part)
    } catch (error) {
      const refused = this.services.readRefused(error)
      if (!part.ids.some((id) => Object.hasOwn(refused, id))) throw error
      this.pending = await this.host?.call('refuse', refused)
      const bad = await this.host?.call('listBad')
      const { report } = this.state.read()
      if (report && bad) this.set({ report: { ...report, ...bad, good: report.good + report.bad - bad.bad } })
      return
    }
    this.ids.push(...part.ids)
    this.pending = undefined
    await this.host?.call('confirmPart')
    this.countSent(part.ids.length)
  }

  /** The report counts what is left to import. */
  private countSent(count: number): void {
    const { report, sent } = this.state.read()
    this.set({ sent: sent + count, report: report && { ...report, good: report.good - count } })
  }

  private set(change: Partial<ImportState>): void {
    this.state.write({ ...this.state.read(), ...change })
  }
}

/** What is lost when the import is closed now; undefined when nothing is. */
export function describeLoss({ step, sending, isEdited }: ImportState): string | undefined {
  if (sending === 'failed') {
    return 'The import is not complete. After closing, it can be neither continued nor undone: what is stored stays.'
  }
  return isEdited && step !== 'send'
    ? 'The columns as you mapped them and the rows that you fixed are lost.'
    : undefined
}

/** Why the columns cannot be used as they are mapped. */
export function describeMapping({ mapping, columns }: ImportState): string | undefined {
  return columns.length === 0 ? 'The file has no rows.' : findMappingProblem(mapping)
}
