import type { JsonProblem } from '@touchstone/formats/locate-json'
import { type ReactNode, useState } from 'react'
import type { DraftResult, EvaluatorDraft } from '../draft.ts'
import type { EvaluatorRow } from '../queries.ts'
import { JudgeFields } from './judge-fields.tsx'
import { ScriptFields } from './script-fields.tsx'
import { TryPanel } from './try-panel.tsx'

interface DefinitionEditorProps {
  tenant: string
  draft: EvaluatorDraft
  result: DraftResult
  /** Whether what is missing is shown; before the first save it is not. */
  isChecked: boolean
  readOnly?: boolean
  onChange: (draft: EvaluatorDraft) => void
  onSave: () => void
  /** Fields before those of the definition. */
  children?: ReactNode
}

/** The form of a definition, beside it the rows of an experiment on which it can be tried. */
export function DefinitionEditor(props: DefinitionEditorProps) {
  const { tenant, draft, result, isChecked, readOnly = false, onChange, onSave, children } = props
  const [row, setRow] = useState<EvaluatorRow>()
  const [sourceProblems, setSourceProblems] = useState<readonly JsonProblem[]>(NO_PROBLEMS)
  const problems = isChecked && 'problems' in result ? result.problems : NONE
  return (
    <div className="flex gap-5 p-3 max-lg:flex-col sm:p-4">
      <fieldset disabled={readOnly} className="flex min-w-0 flex-1 flex-col gap-4 lg:max-w-3xl">
        {children}
        {draft.kind === 'llm_judge' ? (
          <JudgeFields tenant={tenant} draft={draft} problems={problems} row={row} onChange={onChange} />
        ) : (
          <ScriptFields
            draft={draft}
            problems={problems}
            sourceProblems={sourceProblems}
            readOnly={readOnly}
            onChange={(next) => {
              setSourceProblems(NO_PROBLEMS)
              onChange(next)
            }}
            onSave={onSave}
          />
        )}
        {Object.keys(problems).length > 0 && (
          <p role="alert" className="text-row text-err">
            The definition is not complete: see the fields above.
          </p>
        )}
      </fieldset>
      <TryPanel
        tenant={tenant}
        draft={draft}
        result={result}
        row={row}
        onRow={setRow}
        onSourceProblems={setSourceProblems}
      />
    </div>
  )
}

const NONE: Readonly<Record<string, string>> = {}
const NO_PROBLEMS: readonly JsonProblem[] = []
