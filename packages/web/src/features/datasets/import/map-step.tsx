import type { Dataset } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { formatBytes } from '#lib/format.ts'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { DELIMITERS, ENCODINGS } from './detect-file.ts'
import { describeMapping, type ImportController, type ImportState } from './import-controller.ts'
import { CELL_KINDS, type ColumnMapping, type Target } from './mapping.ts'

interface MapStepProps {
  state: ImportState
  controller: ImportController
  dataset: Dataset
}

/** How the file is read, and what each column becomes. */
export function MapStep({ state, controller, dataset }: MapStepProps) {
  const isCsv = state.options?.format === 'csv'
  const problem = describeMapping(state)
  const samples = new Map(state.columns.map(({ column, sample }) => [column, sample]))
  return (
    <div className="flex flex-col gap-3">
      <FileFacts state={state} controller={controller} />
      <CardTable
        label="Columns"
        columns={['Column', 'First value', 'Becomes', 'Key', ...(isCsv ? ['Read as'] : [])]}
        isSticky
      >
        {state.mapping.map((column, index) => (
          <ColumnRow
            key={column.column}
            column={column}
            sample={samples.get(column.column) ?? ''}
            hasKind={isCsv}
            onChange={(change) => controller.changeColumn(index, change)}
          />
        ))}
      </CardTable>
      <p role={problem === undefined ? undefined : 'alert'} className="text-row text-fg-muted">
        {problem ?? 'A key with dots makes nested objects: user.name. Without a key, the value is the whole object.'}
      </p>
      {(dataset.transformations ?? []).length > 0 && (
        <p className="text-row text-fg-muted">
          This dataset transforms examples before it checks them, so the server checks the schema during the import.
        </p>
      )}
    </div>
  )
}

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'jsonl', label: 'JSONL' },
  { value: 'json', label: 'JSON' },
] as const

function FileFacts({ state: { file, options }, controller }: Omit<MapStepProps, 'dataset'>) {
  if (options === undefined) return null
  return (
    <div className="grid gap-3 sm:grid-cols-4">
      <ChoiceField
        label="Format"
        value={options.format}
        options={FORMATS}
        onChange={(format) => void controller.changeOptions({ format })}
      />
      <ChoiceField
        label="Encoding"
        value={options.encoding}
        options={ENCODINGS}
        onChange={(encoding) => void controller.changeOptions({ encoding })}
      />
      {options.format === 'csv' && (
        <ChoiceField
          label="Delimiter"
          value={options.delimiter}
          options={DELIMITERS}
          onChange={(delimiter) => void controller.changeOptions({ delimiter })}
        />
      )}
      <p className="self-end pb-1.5 text-row text-fg-muted">{formatBytes(file?.size)}</p>
    </div>
  )
}

interface ChoiceFieldProps<Value extends string> {
  label: ReactNode
  value: Value
  options: readonly { readonly value: Value; readonly label: string }[]
  onChange: (value: Value) => void
}

function ChoiceField<Value extends string>({ label, ...rest }: ChoiceFieldProps<Value>) {
  return (
    <Field label={label}>
      <Select {...rest} />
    </Field>
  )
}

const TARGETS: readonly { readonly value: Target; readonly label: string }[] = [
  { value: 'inputs', label: 'Inputs' },
  { value: 'outputs', label: 'Reference outputs' },
  { value: 'metadata', label: 'Metadata' },
  { value: 'split', label: 'Split' },
  { value: 'skip', label: 'Not imported' },
]

interface ColumnRowProps {
  column: ColumnMapping
  sample: string
  hasKind: boolean
  onChange: (change: Partial<ColumnMapping>) => void
}

function ColumnRow({ column: { column, target, path, kind }, sample, hasKind, onChange }: ColumnRowProps) {
  const hasKey = target !== 'skip' && target !== 'split'
  return (
    <CardRow>
      <td className="max-w-44 truncate px-3 font-medium max-sm:p-0" title={column}>
        {column}
      </td>
      <td className="max-w-52 truncate px-3 text-fg-muted max-sm:w-full max-sm:p-0" title={sample}>
        {sample}
      </td>
      <td className="px-3 py-1 max-sm:p-0">
        <Select
          aria-label={`${column} becomes`}
          className="min-w-40"
          value={target}
          options={TARGETS}
          onChange={(value) => onChange({ target: value })}
        />
      </td>
      <td className="px-3 py-1 max-sm:p-0">
        {hasKey && (
          <input
            aria-label={`Key of ${column}`}
            value={path}
            placeholder="whole object"
            spellCheck={false}
            onChange={(event) => onChange({ path: event.target.value })}
            className={`${FIELD} w-40 font-mono`}
          />
        )}
      </td>
      {hasKind && (
        <td className="px-3 py-1 max-sm:p-0">
          {hasKey && (
            <Select
              aria-label={`${column} is read as`}
              className="min-w-28"
              value={kind}
              options={CELL_KINDS}
              onChange={(value) => onChange({ kind: value })}
            />
          )}
        </td>
      )}
    </CardRow>
  )
}
