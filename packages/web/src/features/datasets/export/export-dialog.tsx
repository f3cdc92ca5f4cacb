import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { saveFile } from '#lib/browser.ts'
import { formatAbsoluteTime, formatCount, pluralize } from '#lib/format.ts'
import { readExamplesSnippets } from '#lib/snippets.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Field } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'
import { toast } from '#ui/toast.tsx'
import { exampleQuery } from '../examples/queries.ts'
import { exportDataset, exportForSpreadsheet } from '../file-queries.ts'
import { versionQuery } from '../versions/queries.ts'
import type { ExportDatasetProps } from './export-dataset.tsx'
import type { ExportFormat, MadeExport } from './make-export.ts'
import { MisfitList } from './misfit-list.tsx'

const FORMATS: readonly { value: ExportFormat; label: string; ending: string; type: string; about: string }[] = [
  {
    value: 'csv',
    label: 'CSV',
    ending: '.csv',
    type: 'text/csv',
    about: 'A column per key. Importing the file gives the same examples.',
  },
  {
    value: 'jsonl',
    label: 'JSONL',
    ending: '.jsonl',
    type: 'application/jsonl',
    about: 'A line of JSON per example, exactly as stored. Importing the file gives the same examples.',
  },
  {
    value: 'openai',
    label: 'OpenAI messages',
    ending: '.openai.jsonl',
    type: 'application/jsonl',
    about: 'Lines of OpenAI evals: the messages as input, and the ideal answer.',
  },
  {
    value: 'openai_ft',
    label: 'OpenAI fine-tuning',
    ending: '.openai_ft.jsonl',
    type: 'application/jsonl',
    about: 'Conversations that end with the reference answer, with their tools.',
  },
]

/** Versions offered in the dialog. */
const VERSIONS = 100
const LATEST = ''

/** Downloads the examples of a version as a file. */
export function ExportDialog({
  dataset,
  asOf: shownVersion,
  split: shownSplit,
  onClose,
}: ExportDatasetProps & { onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [version, setVersion] = useState(shownVersion ?? LATEST)
  const [split, setSplit] = useState(shownSplit ?? '')
  const [isForSpreadsheet, setForSpreadsheet] = useState(false)
  const part = { asOf: version === LATEST ? undefined : version, split: split === '' ? undefined : split }
  const { state, save, reset } = useExport(dataset, onClose)
  const chosen = FORMATS.find(({ value }) => value === format) ?? FORMATS[0]
  const isWhole = format === 'csv' && part.split === undefined
  const change =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value)
      reset()
    }
  return (
    <FormDialog
      title={`Export ${dataset.name}`}
      width="max-w-2xl"
      action={describeAction(state.made)}
      canSubmit={state.made?.count !== 0}
      isPending={state.rows !== undefined}
      error={state.error}
      errorTitle="Could not export the dataset"
      onSubmit={() => void save({ ...part, ...chosen, format, isForSpreadsheet: isWhole && isForSpreadsheet })}
      onClose={onClose}
    >
      <div className="overflow-x-auto [&_button]:whitespace-nowrap">
        <Segmented label="Format" value={format} onChange={change(setFormat)} options={FORMATS} />
      </div>
      <p className="text-base text-fg-muted">{chosen?.about} Attachments are not part of the file.</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <VersionField datasetId={dataset.id} value={version} onChange={change(setVersion)} />
        <SplitField datasetId={dataset.id} asOf={part.asOf} value={split} onChange={change(setSplit)} />
      </div>
      {isWhole && (
        <label className="flex items-start gap-2 text-row">
          <input
            type="checkbox"
            checked={isForSpreadsheet}
            onChange={(event) => setForSpreadsheet(event.target.checked)}
          />
          For a spreadsheet: cells that would run as formulas get an apostrophe, so the file does not import as the same
          examples
        </label>
      )}
      {state.rows !== undefined && (
        <p role="status" className="num text-row text-fg-muted">
          {pluralize(state.rows, 'example')} read…
        </p>
      )}
      {state.made !== undefined && <MisfitList made={state.made} />}
      <Disclosure summary="Read the same examples from a program">
        <div className="pt-2">
          <SnippetTabs snippets={readExamplesSnippets({ dataset: dataset.name, ...part })} />
        </div>
      </Disclosure>
    </FormDialog>
  )
}

function describeAction(made: MadeExport | undefined): string {
  if (made === undefined) return 'Export'
  return made.count === 0 ? 'Nothing to download' : `Download ${formatCount(made.count)} that fit`
}

interface ExportState {
  /** Rows read so far, while the file is made. */
  rows?: number | undefined
  /** A file that leaves examples out; it is saved after the user has seen which. */
  made?: MadeExport | undefined
  error?: unknown
}

interface ChosenExport {
  format: ExportFormat
  asOf: string | undefined
  split: string | undefined
  isForSpreadsheet: boolean
  ending?: string
  type?: string
}

function useExport({ id, name }: { id: string; name: string }, onClose: () => void) {
  const [state, setState] = useState<ExportState>({})
  const leaving = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])

  async function save({ format, asOf, split, isForSpreadsheet, ending = '', type = '' }: ChosenExport) {
    const { signal } = leaving.current
    const finish = (parts: readonly string[], count?: number) => {
      saveFile(`${name}${ending}`, type, parts)
      toast.done(count === undefined ? `Exported ${name}` : `Exported ${pluralize(count, 'example')} of ${name}`)
      onClose()
    }
    if (state.made) return finish(state.made.parts, state.made.count)
    setState({ rows: 0 })
    try {
      if (isForSpreadsheet) return finish([await exportForSpreadsheet(id, asOf, signal)])
      const onProgress = (rows: number) => setState({ rows })
      const made = await exportDataset({ datasetId: id, format, asOf, split, onProgress, signal })
      if (made.misfits.length > 0) setState({ made })
      else finish(made.parts, made.count)
    } catch (error) {
      if (!signal.aborted) setState({ error })
    }
  }
  return { state, save, reset: () => setState({}) }
}

interface VersionFieldProps {
  datasetId: string
  value: string
  onChange: (value: string) => void
}

function VersionField({ datasetId, value, onChange }: VersionFieldProps) {
  const versions = useQuery(versionQuery.list(datasetId, VERSIONS)).data ?? []
  const options = versions.slice(1).map(({ as_of, tags }) => ({
    value: as_of,
    label: [formatAbsoluteTime(as_of), ...tags].join(' · '),
  }))
  const isListed = value === LATEST || options.some((option) => option.value === value)
  return (
    <Field label="Version">
      <Select
        value={value}
        onChange={onChange}
        options={[{ value: LATEST, label: 'Latest' }, ...(isListed ? [] : [{ value, label: value }]), ...options]}
      />
    </Field>
  )
}

function SplitField({ datasetId, asOf, value, onChange }: VersionFieldProps & { asOf: string | undefined }) {
  const splits = useQuery(exampleQuery.splits(datasetId, asOf)).data ?? []
  return (
    <Field label="Examples">
      <Select
        value={value}
        onChange={onChange}
        options={[
          { value: '', label: 'All splits' },
          ...[...new Set([...splits, ...(value === '' ? [] : [value])])].map((split) => ({
            value: split,
            label: split,
          })),
        ]}
      />
    </Field>
  )
}
