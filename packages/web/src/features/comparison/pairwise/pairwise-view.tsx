import { useMemo, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { EmptyState } from '#ui/states.tsx'
import { AgreementLine } from './agreement-line.tsx'
import { PairCard, toPairColumns } from './pair-columns.tsx'
import { PairPanel } from './pair-panel.tsx'
import { PairState } from './pair-toolbar.tsx'
import type { PairFilter, PairRow } from './pairwise.ts'
import type { Pair } from './use-pair.ts'
import { getSides, WinBars } from './win-bars.tsx'

export interface PairwiseViewProps {
  pair: Pair
  /** Id of the example whose pair is open. */
  open: string | undefined
}

const getId = ({ exampleId }: PairRow) => exampleId

/** The results of a comparison of two experiments, and its pairs in a table; before that, why there are none. */
export function PairwiseView({ pair, open }: PairwiseViewProps) {
  const { pairs } = pair
  if (pairs === undefined || pairs.rows.length === 0) return <PairState pair={pair} />
  return <PairTable pair={pair} pairs={pairs} open={open} />
}

function PairTable({ pair, pairs, open }: PairwiseViewProps & { pairs: NonNullable<Pair['pairs']> }) {
  const { shown, texts, statistics, key: feedbackKey, filter, change } = pair
  const sides = getSides(pair.view, pair.names)
  const onPick = (metric: string | undefined, show: PairFilter | undefined) => change({ metric, show })
  const onOpen = (ex: string | undefined) => change({ ex }, open === undefined || ex === undefined ? 'push' : 'replace')
  const grid = useRef<GridHandle>(null)
  const { names, colors } = sides
  // biome-ignore lint/correctness/useExhaustiveDependencies: names and colors are the parts of `sides` that may change
  const columns = useMemo(
    () => toPairColumns({ view: texts, sides, feedbackKey }),
    [texts, names.a, names.b, colors.a, colors.b, feedbackKey],
  )
  const ids = useMemo(() => shown.map(getId), [shown])
  const [active, setActive] = useState(open)
  function activate(id: string) {
    setActive(id)
    if (open !== undefined) onOpen(id)
  }
  useGridKeys({ grid, ids, activeId: active, onActive: activate, onOpen })
  const opened = open === undefined ? undefined : pairs.rows.find(({ exampleId }) => exampleId === open)
  return (
    <>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <WinBars
          sides={sides}
          keys={pairs.keys}
          rows={pairs.rows}
          statistics={statistics}
          active={feedbackKey}
          filter={filter}
          onPick={onPick}
        />
        {feedbackKey !== undefined && (
          <div className="shrink-0 bg-surface px-3 empty:hidden [&>p]:py-1.5">
            <AgreementLine rows={pairs.rows} feedbackKey={feedbackKey} />
          </div>
        )}
        {shown.length === 0 ? (
          <EmptyState
            title="No pairs match"
            actions={<Button onClick={() => onPick(feedbackKey, undefined)}>Show all pairs</Button>}
          >
            No pair has this outcome under {feedbackKey ?? 'any key'}.
          </EmptyState>
        ) : (
          <DataGrid
            ref={grid}
            label="Pairs"
            columns={columns}
            rows={shown}
            rowId={getId}
            rowHeight={88}
            card={(row) => <PairCard row={row} view={texts} sides={sides} feedbackKey={feedbackKey} />}
            total={shown.length}
            activeId={active}
            onRowClick={({ exampleId }) => {
              setActive(exampleId)
              onOpen(exampleId)
            }}
          />
        )}
      </div>
      {opened && <PairPanel view={texts} row={opened} sides={sides} onClose={() => onOpen(undefined)} />}
    </>
  )
}
