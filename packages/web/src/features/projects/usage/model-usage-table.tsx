import { Link } from '@tanstack/react-router'
import type { ModelUsage, ModelUsageReport } from '@touchstone/sdk'
import { ChevronRight, Download } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { cx, saveFile } from '#lib/browser.ts'
import { formatCount, formatTokens, pluralize } from '#lib/format.ts'
import { getSortDirection, nextSort } from '#lib/row-sort.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import { SortHeader } from '#ui/sort-header.tsx'
import {
  getCostPrefix,
  getModelName,
  type ModelSort,
  printModelUsage,
  sortModels,
  toModelFilter,
} from './model-usage.ts'

export interface ModelTableProps {
  tenant: string
  report: ModelUsageReport
  /** A column, with `-` in front for descending. */
  sort: string
  onSort: (sort: string) => void
}

/** Columns of figures; narrow screens leave some out. */
const COLUMNS: readonly { id: ModelSort; title: string; hidden?: string }[] = [
  { id: 'runs', title: 'Runs', hidden: 'max-sm:hidden' },
  { id: 'prompt', title: 'Prompt', hidden: 'max-lg:hidden' },
  { id: 'completion', title: 'Completion', hidden: 'max-lg:hidden' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'cost', title: 'Cost' },
]

/** Tokens and costs by model across projects, with links to the runs. */
export function ModelTable({ tenant, report, sort, onSort }: ModelTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const models = sortModels(report.models, sort)
  const someUnfold = models.some(({ projects }) => projects.length > 1)
  function toggle(id: string) {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  const toRuns = (model: ModelUsage, projectId: string, label: ReactNode) => (
    <Link
      to="/o/$tenant/projects/p/$projectId"
      params={{ tenant, projectId }}
      search={{ scope: 'runs', t: printTimeRange(report.since, undefined), filter: toModelFilter(model) }}
      className="truncate hover:underline"
    >
      {label}
    </Link>
  )
  return (
    <section aria-labelledby="by-model" className="rounded-card border border-border bg-surface">
      <div className="flex items-center px-3 py-1.5">
        <h2 id="by-model" className="text-form font-semibold">
          By model
        </h2>
        {models.length > 0 && (
          <Button
            look="quiet"
            className="ml-auto"
            onClick={() => saveFile('usage-by-model.csv', 'text/csv;charset=utf-8', printModelUsage(models))}
          >
            <Download size={13} aria-hidden />
            CSV
          </Button>
        )}
      </div>
      {models.length === 0 ? (
        <p className="px-3 pb-3 text-row text-fg-muted">No tokens or costs in this range</p>
      ) : (
        <table className="w-full text-left text-row">
          <thead className="border-y border-border text-meta text-fg-subtle">
            <tr>
              <SortHeader
                label="Model"
                isText
                sorted={getSortDirection(sort, 'name')}
                onSort={() => onSort(nextSort(sort, 'name'))}
                className="pl-2"
              />
              {COLUMNS.map(({ id, title, hidden }) => (
                <SortHeader
                  key={id}
                  label={title}
                  sorted={getSortDirection(sort, id)}
                  onSort={() => onSort(nextSort(sort, id))}
                  className={cx('px-2', hidden)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => {
              const id = `${model.provider}/${model.model}`
              const [only, ...others] = model.projects
              const isOpen = open.has(id)
              return (
                <Fragment key={id}>
                  <tr className="h-9 border-b border-border last:border-b-0 hover:bg-hover">
                    <th scope="row" className="max-w-60 px-3 font-medium max-sm:w-full max-sm:max-w-0">
                      <span className="flex min-w-0 items-center gap-1.5">
                        {others.length > 0 ? (
                          <ProjectsButton model={model} isOpen={isOpen} onToggle={() => toggle(id)} />
                        ) : (
                          <>
                            {someUnfold && <span className="w-3.5 shrink-0" />}
                            {only && toRuns(model, only.session_id, getModelName(model))}
                          </>
                        )}
                        {model.provider && (
                          <span className="shrink-0 font-normal text-fg-muted max-sm:hidden">{model.provider}</span>
                        )}
                      </span>
                    </th>
                    <Figures of={model} />
                  </tr>
                  {isOpen &&
                    model.projects.map((project) => (
                      <tr key={project.session_id} className="h-8 border-b border-border bg-sunken last:border-b-0">
                        <th scope="row" className="max-w-60 truncate px-3 pl-8 font-normal">
                          {toRuns(model, project.session_id, project.session_name)}
                        </th>
                        <Figures of={project} />
                      </tr>
                    ))}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

interface ProjectsButtonProps {
  model: ModelUsage
  isOpen: boolean
  onToggle: () => void
}

/** The name of a model that several projects use; it unfolds them. */
function ProjectsButton({ model, isOpen, onToggle }: ProjectsButtonProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex h-6 min-w-0 items-center gap-1.5 rounded-control hover:underline coarse:h-10"
    >
      <ChevronRight size={14} aria-hidden className={cx('shrink-0 text-fg-subtle', isOpen && 'rotate-90')} />
      <span className="truncate">{getModelName(model)}</span>
      <span className="shrink-0 text-meta font-normal text-fg-subtle">{model.projects.length} projects</span>
    </button>
  )
}

function Figures({ of }: { of: Omit<ModelUsage, 'model' | 'provider' | 'projects'> }) {
  const texts: Readonly<Record<Exclude<ModelSort, 'name' | 'cost'>, string>> = {
    runs: formatCount(of.run_count),
    prompt: formatTokens(of.prompt_tokens),
    completion: formatTokens(of.completion_tokens),
    tokens: formatTokens(of.total_tokens),
  }
  const unpriced = of.unpriced_run_count
  const note = unpriced > 0 ? `${pluralize(unpriced, 'run has', 'runs have')} no known cost` : undefined
  return COLUMNS.map(({ id, hidden }) => (
    <td key={id} title={id === 'cost' ? note : undefined} className={cx('num whitespace-nowrap px-3', hidden)}>
      {id === 'cost' ? (
        <>
          {getCostPrefix(of)}
          <CostText total={of.total_cost} reported={of.reported_cost} fees={of.unpriced_fees} />
        </>
      ) : (
        texts[id as keyof typeof texts]
      )}
    </td>
  ))
}
