import { useCallback } from 'react'
import { FilterBar } from '#features/filter/filter-bar.tsx'
import { observedValuesQuery } from '#features/filter/queries.ts'
import type { Suggest } from '#features/filter/suggestions.tsx'
import { FormField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import type { RuleDraft } from '../draft.ts'
import type { Names } from '../use-names.ts'
import { PickSeveral } from './pick-several.tsx'

export interface SourceFieldsProps {
  draft: RuleDraft
  problems: Readonly<Record<string, string>>
  names: Names
  onChange: (part: Partial<RuleDraft>) => void
  onFilterOpen: (isOpen: boolean) => void
}

const SOURCES = [
  { value: 'projects', label: 'Projects' },
  { value: 'dataset', label: 'Experiments of a dataset' },
] as const

/** Where the runs come from, and which of them match. */
export function SourceFields({ draft, problems, names, onChange, onFilterOpen }: SourceFieldsProps) {
  return (
    <>
      <div className="flex flex-col gap-2">
        <span className="text-row text-fg-muted">Source</span>
        <Segmented label="Source" value={draft.source} onChange={(source) => onChange({ source })} options={SOURCES} />
        {draft.source === 'projects' ? (
          <PickSeveral
            noun="project"
            chosen={draft.projectIds}
            objects={names.projects}
            nameOf={names.projectName}
            max={MAX_PROJECTS}
            error={problems.projects}
            onChange={(projectIds) => onChange({ projectIds })}
          />
        ) : (
          <FormField label="Dataset" error={problems.dataset} hint="Also of experiments to come; never sampled out.">
            {(field) => (
              <Select
                {...field}
                value={draft.datasetId}
                placeholder="Choose a dataset"
                onChange={(datasetId) => onChange({ datasetId })}
                options={names.datasets.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
          </FormField>
        )}
      </div>
      <RuleFilter draft={draft} problem={problems.filter} onChange={onChange} onFilterOpen={onFilterOpen} />
    </>
  )
}

const MAX_PROJECTS = 50

const SUBJECTS = {
  run: 'runs',
  trace: 'root runs',
  thread: 'root runs',
  feedback: 'runs',
}

interface RuleFilterProps extends Pick<SourceFieldsProps, 'draft' | 'onChange' | 'onFilterOpen'> {
  problem: string | undefined
}

function RuleFilter({ draft, problem, onChange, onFilterOpen }: RuleFilterProps) {
  const { projectIds, filters, target } = draft
  const suggest = useCallback<Suggest>(
    (ask, given) => {
      const { run, root, tree } = given
      const conditions = {
        session: [...projectIds],
        ...(run !== undefined && { filter: run }),
        ...(root !== undefined && { trace_filter: root }),
        ...(tree !== undefined && { tree_filter: tree }),
      }
      const query = observedValuesQuery(conditions, ask)
      return projectIds.length === 0 ? { ...query, enabled: false } : query
    },
    [projectIds],
  )
  return (
    <div className="flex flex-col gap-1 text-row">
      <span className="text-fg-muted">Filter</span>
      <div className="overflow-hidden rounded-control border border-border">
        <FilterBar
          filters={filters}
          onChange={(next) => onChange({ filters: compact(next) })}
          onPending={onFilterOpen}
          suggest={suggest}
        />
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-err">
          {problem}
        </p>
      )}
      <p className="text-fg-muted">
        On {SUBJECTS[target]}; conditions can also be about the root of the trace or any run of it. Without one, all
        match.
      </p>
    </div>
  )
}

/** Kept drafts are JSON, in which a field without a value is absent. */
const compact = (filters: RuleDraft['filters']) =>
  Object.fromEntries(Object.entries(filters).filter(([, text]) => text !== undefined && text !== ''))
