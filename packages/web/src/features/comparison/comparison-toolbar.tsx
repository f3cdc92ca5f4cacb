import { ArrowDownUp, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { COMPARE_LAYOUTS, type CompareLayout, type DiffMode } from '#features/experiments/search.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu, MenuLabel, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { Segmented } from '#ui/segmented.tsx'
import type { Comparison } from './comparison.ts'
import { CsvDownload } from './download-csv.tsx'
import { ExperimentPicker } from './experiment-picker.tsx'
import { JudgeButton } from './judging/judge-button.tsx'
import { addExperiment, chooseMetric, removeExperiment } from './logic/compare-state.ts'
import { FIGURES, printMeasure } from './logic/comparison-measures.ts'

const LAYOUT_LABELS: Record<CompareLayout, string> = { grid: 'Grid', focus: 'Focus', summary: 'Summary' }
const DIFFS: readonly { value: DiffMode; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'reference', label: 'To the reference' },
  { value: 'baseline', label: 'To the baseline' },
]
export const FIGURE_LABELS = { latency: 'Latency', tokens: 'Tokens', cost: 'Cost' } as const

/** Layout, baseline, metric and differences. */
export function ComparisonToolbar({ comparison }: { comparison: Comparison }) {
  const { search, change, view, cells, measured } = comparison
  return (
    <>
      {/* First, so that it is in view on a phone. */}
      <Segmented
        label="Layout"
        value={search.layout}
        onChange={(layout) => change({ layout })}
        options={COMPARE_LAYOUTS.map((value) => ({ value, label: LAYOUT_LABELS[value] }))}
      />
      {cells.experiments.length > 1 && (
        <Choice
          label="Baseline"
          value={cells.experiments[comparison.baseline]?.id ?? ''}
          options={cells.experiments.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(baseline) => change({ baseline })}
        />
      )}
      <MetricMenu comparison={comparison} />
      <IconButton
        icon={ArrowDownUp}
        label={measured.isLowerBetter ? 'Lower is better' : 'Higher is better'}
        pressed={search.flip ?? false}
        onClick={() => change({ flip: search.flip ? undefined : true })}
      />
      <Choice
        label="Differences"
        value={search.diff}
        options={cells.experiments.length > 1 ? DIFFS : DIFFS.slice(0, 2)}
        onChange={(diff) => change({ diff })}
      />
      <span className="ml-auto flex shrink-0 items-center gap-1.5">
        {/* The list of experiments needs a workspace. */}
        {view.share === undefined && (
          <JudgeButton datasetId={view.datasetId} experimentIds={cells.experiments.map(({ id }) => id)} />
        )}
        {view.share === undefined && (
          <ExperimentPicker
            datasetId={view.datasetId}
            selectedIds={view.experimentIds}
            onAdd={(id) => change(addExperiment(search, id))}
            onRemove={(id) => change(removeExperiment(search, id))}
          />
        )}
        <CsvDownload comparison={comparison} />
      </span>
    </>
  )
}

function MetricMenu({ comparison: { cells, measured, change } }: { comparison: Comparison }) {
  const { measure } = measured
  const value = measure.kind === 'score' ? measure.key : measure.kind
  const select = (metric: string) => change(chooseMetric(metric))
  return (
    <Menu
      trigger={<Trigger label="Metric">{measure.kind === 'score' ? measure.key : FIGURE_LABELS[measure.kind]}</Trigger>}
    >
      {cells.keys.length > 0 && <MenuLabel>Scores</MenuLabel>}
      <MenuRadio value={value} onChange={select} options={cells.keys.map(({ key }) => ({ value: key, label: key }))} />
      {cells.keys.length > 0 && <MenuLine />}
      <MenuRadio
        value={value}
        onChange={select}
        options={FIGURES.map((kind) => ({ value: printMeasure({ kind }), label: FIGURE_LABELS[kind] }))}
      />
    </Menu>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <Menu trigger={<Trigger label={label}>{options.find((option) => option.value === value)?.label}</Trigger>}>
      <MenuRadio value={value} onChange={onChange} options={options} />
    </Menu>
  )
}

/** A button that shows what is chosen. It passes props and the ref of the menu on. */
function Trigger({ label, children, ...rest }: { label: string; children: ReactNode }) {
  return (
    <Button {...rest} className="max-w-56">
      <span className="font-normal text-fg-muted">{label}</span>
      <span className="min-w-0 truncate">{children}</span>
      <ChevronDown size={13} aria-hidden className="shrink-0" />
    </Button>
  )
}
