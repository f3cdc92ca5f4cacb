import { useQuery } from '@tanstack/react-query'
import type { Dataset } from '@touchstone/sdk'
import { Columns3, ListFilter, Split } from 'lucide-react'
import { type Ref, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Menu, MenuCheck, MenuItem, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { getColumnLabel, listColumns, type SectionKeys } from '../examples/logic/columns.ts'
import { MetadataFilterForm } from '../examples/metadata-filter-form.tsx'
import { exampleQuery } from '../examples/queries.ts'
import { ExportDataset } from '../export/export-dataset.tsx'
import { ImportExamples } from '../import/import-examples.tsx'
import type { ExamplesSearch } from '../search.ts'

export interface ExamplesToolbarProps {
  datasetId: string
  search: ExamplesSearch
  onChange: (part: Partial<ExamplesSearch>, mode?: 'push' | 'replace') => void
  /** Shown columns in order. */
  columns: readonly string[]
  keys: SectionKeys
  searchField: Ref<HTMLInputElement>
}

/** Search, filter, split and columns of the list. */
export function ExamplesToolbar({ datasetId, search, onChange, columns, keys, searchField }: ExamplesToolbarProps) {
  const [isFilterOpen, setFilterOpen] = useState(false)
  return (
    <>
      <SearchField
        ref={searchField}
        label="Search examples"
        placeholder="Search inputs and outputs"
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q || undefined }, 'replace')}
        className="w-56"
      />
      <SplitMenu datasetId={datasetId} search={search} onChange={onChange} />
      <Popover
        label="Filter by metadata"
        open={isFilterOpen}
        onOpenChange={setFilterOpen}
        className="w-80 max-w-[calc(100vw-24px)]"
        trigger={
          <Button
            aria-pressed={search.filter !== undefined}
            className="aria-pressed:border-accent aria-pressed:bg-selected"
          >
            <ListFilter size={13} aria-hidden />
            {search.filter === undefined ? 'Filter' : <span className="max-w-48 truncate">{search.filter}</span>}
          </Button>
        }
      >
        <MetadataFilterForm
          filter={search.filter ?? ''}
          keys={keys.metadata}
          onApply={(filter) => {
            onChange({ filter: filter === '' ? undefined : filter, peek: undefined })
            setFilterOpen(false)
          }}
        />
      </Popover>
      <ColumnsMenu columns={columns} keys={keys} onChange={(cols) => onChange({ cols }, 'replace')} />
    </>
  )
}

const ALL = ''

function SplitMenu({ datasetId, search, onChange }: Pick<ExamplesToolbarProps, 'datasetId' | 'search' | 'onChange'>) {
  const splits = useQuery(exampleQuery.splits(datasetId, search.as_of))
  const names = new Set([...(splits.data ?? []), ...(search.split === undefined ? [] : [search.split])])
  return (
    <Menu
      trigger={
        <Button
          aria-pressed={search.split !== undefined}
          className="aria-pressed:border-accent aria-pressed:bg-selected"
        >
          <Split size={13} aria-hidden />
          <span className="max-w-40 truncate">{search.split ?? 'All splits'}</span>
        </Button>
      }
    >
      <MenuRadio
        value={search.split ?? ALL}
        onChange={(split) => onChange({ split: split === ALL ? undefined : split, peek: undefined })}
        options={[{ value: ALL, label: 'All splits' }, ...[...names].map((name) => ({ value: name, label: name }))]}
      />
    </Menu>
  )
}

interface ColumnsMenuProps {
  columns: readonly string[]
  keys: SectionKeys
  /** @param cols  undefined restores the default columns */
  onChange: (cols: string | undefined) => void
}

function ColumnsMenu({ columns, keys, onChange }: ColumnsMenuProps) {
  const toggle = (id: string) => (isShown: boolean) =>
    onChange((isShown ? [...columns, id] : columns.filter((one) => one !== id)).join() || undefined)
  return (
    <Menu
      align="end"
      trigger={
        <Button className="ml-auto">
          <Columns3 size={13} aria-hidden />
          Columns
        </Button>
      }
    >
      <div className="max-h-80 max-w-80 overflow-y-auto">
        {[...new Set([...columns, ...listColumns(keys)])].map((id) => (
          <MenuCheck key={id} checked={columns.includes(id)} onChange={toggle(id)}>
            {getColumnLabel(id)}
          </MenuCheck>
        ))}
      </div>
      <MenuLine />
      <MenuItem onSelect={() => onChange(undefined)}>Default columns</MenuItem>
    </Menu>
  )
}

/** Import and export of a dataset; an export starts with the version and the split that are shown. */
export function FileActions({ dataset, search }: { dataset: Dataset; search: ExamplesSearch }) {
  return (
    <>
      <ImportExamples dataset={dataset} />
      <ExportDataset
        key={`${search.as_of} ${search.split}`}
        dataset={dataset}
        asOf={search.as_of}
        split={search.split}
      />
    </>
  )
}
