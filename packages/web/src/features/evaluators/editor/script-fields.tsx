import type { JsonProblem } from '@touchstone/formats/locate-json'
import { TextField } from '#ui/field.tsx'
import { CodeEditor } from '#ui/json-editor.tsx'
import type { ScriptDraft } from '../draft.ts'

interface ScriptFieldsProps {
  draft: ScriptDraft
  problems: Readonly<Record<string, string>>
  /** Where the source failed on a row. */
  sourceProblems: readonly JsonProblem[]
  readOnly: boolean
  onChange: (draft: ScriptDraft) => void
  onSave: () => void
}

/** Source, feedback keys and time limit of a JavaScript evaluator. */
export function ScriptFields({ draft, problems, sourceProblems, readOnly, onChange, onSave }: ScriptFieldsProps) {
  const change = (part: Partial<ScriptDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <div className="flex flex-col gap-1">
        <span className="text-row text-fg-muted">Source</span>
        <CodeEditor
          label="Source"
          value={draft.source}
          problems={sourceProblems}
          readOnly={readOnly}
          className="max-h-[60vh]"
          onChange={(source) => change({ source })}
          onSave={onSave}
        />
        {problems.source !== undefined && (
          <p role="alert" className="text-row text-err">
            {problems.source}
          </p>
        )}
        <p className="text-row text-fg-muted">
          <code className="font-mono">{'evaluate({ inputs, outputs, reference_outputs, run })'}</code> returns a number,
          a boolean, <code className="font-mono">{'{ key, score, value, comment }'}</code> or a list of those. It has no
          access to network, files and timers.
        </p>
      </div>
      <div className="flex gap-3 max-sm:flex-col">
        <TextField
          className="flex-1"
          label="Feedback keys"
          hint="Separated by commas. The first is the key of a number or boolean; without any, it is the name of the evaluator."
          isCode
          autoComplete="off"
          value={draft.keys}
          onChange={(keys) => change({ keys })}
        />
        <TextField
          className="sm:w-48"
          label="Time limit per row (ms)"
          isNumber
          autoComplete="off"
          value={draft.timeoutMs}
          error={problems.timeout}
          onChange={(timeoutMs) => change({ timeoutMs })}
        />
      </div>
    </>
  )
}
