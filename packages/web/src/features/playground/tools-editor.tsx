import type { ModelTool, ModelToolChoice } from '@touchstone/contract'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { printJson } from '#features/prompts/print-json.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { CONTROL } from '#ui/field.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { asFields, findToolProblem, readTools, type Variant } from './logic/variant.ts'

interface EditorProps {
  variant: Variant
  onChange: (change: Partial<Variant>) => void
  /** Ctrl+S in a field for JSON. */
  onSave: () => void
  /** Ctrl+Enter in a field for JSON. */
  onRun: () => void
}

const NEW_TOOL: ModelTool = {
  type: 'function',
  function: { name: '', description: '', parameters: { type: 'object', properties: {} } },
}

/** Definitions of tools as a form or as JSON, and which of them the model must call. */
export function ToolsEditor({ variant, onChange, onSave, onRun }: EditorProps) {
  const tools = readTools(variant.tools)
  const [view, setView] = useState<'form' | 'json'>('form')
  const isForm = view === 'form' && tools !== undefined
  const write = (next: readonly ModelTool[]) => onChange({ tools: next.length === 0 ? '' : printJson(next) })
  const count = tools?.length ?? 0
  return (
    <Disclosure summary={count === 0 ? 'Tools' : `Tools: ${tools?.map(getToolName).join(', ')}`}>
      <div className="flex flex-col gap-2 pb-2 pt-1">
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label={`View of the tools of ${variant.name}`}
            value={isForm ? 'form' : 'json'}
            onChange={setView}
            options={VIEWS}
          />
          {count > 0 && (
            <Select
              aria-label={`Tool choice of ${variant.name}`}
              size="toolbar"
              value={printChoice(variant.toolChoice)}
              onChange={(choice: string) => onChange({ toolChoice: readChoice(choice) })}
              options={[
                { value: '', label: 'Default choice' },
                { value: 'auto', label: 'Model decides' },
                { value: 'none', label: 'No call' },
                { value: 'required', label: 'Some call' },
                ...(tools ?? []).flatMap((tool) =>
                  tool.type === 'function' && tool.function.name !== ''
                    ? [{ value: `name:${tool.function.name}`, label: `Call ${tool.function.name}` }]
                    : [],
                ),
              ]}
            />
          )}
        </div>
        {isForm ? (
          <>
            {tools.map((tool, at) => (
              <ToolForm
                // biome-ignore lint/suspicious/noArrayIndexKey: tools have no ids
                key={at}
                label={`tool ${at + 1} of ${variant.name}`}
                tool={tool}
                onChange={(next) => write(tools.map((one, index) => (index === at ? next : one)))}
                onRemove={() => write(tools.filter((_, index) => index !== at))}
                onSave={onSave}
                onRun={onRun}
              />
            ))}
            <Button look="quiet" className="w-fit" onClick={() => write([...tools, NEW_TOOL])}>
              <Plus size={13} aria-hidden />
              Add tool
            </Button>
          </>
        ) : (
          <JsonEditor
            label={`Tools of ${variant.name} as JSON`}
            value={variant.tools}
            onChange={(text) => onChange({ tools: text })}
            onSave={onSave}
            onRun={onRun}
            mayBeEmpty
          />
        )}
      </div>
    </Disclosure>
  )
}

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

function getToolName(tool: ModelTool): string {
  if (tool.type === 'raw') return String(tool.raw.name ?? tool.raw.type ?? 'raw')
  return tool.function.name || 'unnamed'
}

function printChoice(choice: ModelToolChoice | undefined): string {
  if (choice == null) return ''
  return typeof choice === 'string' ? choice : `name:${choice.name}`
}

function readChoice(text: string): ModelToolChoice | undefined {
  if (text.startsWith('name:')) return { name: text.slice('name:'.length) }
  return text === 'auto' || text === 'none' || text === 'required' ? text : undefined
}

interface ToolFormProps extends Pick<EditorProps, 'onSave' | 'onRun'> {
  label: string
  tool: ModelTool
  onChange: (tool: ModelTool) => void
  onRemove: () => void
}

function ToolForm({ label, tool, onChange, onRemove, onSave, onRun }: ToolFormProps) {
  const definition = tool.type === 'function' ? tool.function : undefined
  // The parameters with the spaces that were typed; of no use once the tool has others, such as those of its neighbor.
  const [typed, setTyped] = useState('')
  const stored: unknown = definition?.parameters ?? {}
  const isTyped = printJson(readObject(typed)) === printJson(stored)
  const shown = isTyped ? typed : typeof stored === 'string' ? stored : printJson(stored)
  const problem = findToolProblem(tool)
  if (tool.type === 'raw' || definition === undefined) {
    return (
      <div className="flex min-w-0 items-start gap-1 rounded-control border border-border p-2">
        <Disclosure className="min-w-0 flex-1" summary={`${getToolName(tool)}, sent as it is`}>
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap font-mono text-meta [overflow-wrap:anywhere]">
            {printJson(tool.type === 'raw' ? tool.raw : tool)}
          </pre>
        </Disclosure>
        <IconButton icon={X} label={`Remove ${label}`} onClick={onRemove} />
      </div>
    )
  }
  const write = (change: Partial<typeof definition>) => onChange({ ...tool, function: { ...definition, ...change } })
  return (
    <fieldset aria-label={label} className="flex min-w-0 flex-col gap-1.5 rounded-control border border-border p-2">
      <div className="flex min-w-0 items-center gap-1">
        <input
          aria-label={`Name of ${label}`}
          value={definition.name}
          maxLength={200}
          spellCheck={false}
          placeholder="Name"
          onChange={(event) => write({ name: event.target.value })}
          className={`${CONTROL} font-mono`}
        />
        <IconButton icon={X} label={`Remove ${label}`} onClick={onRemove} />
      </div>
      <textarea
        aria-label={`Description of ${label}`}
        rows={1}
        value={definition.description ?? ''}
        placeholder="What it does, for the model"
        onChange={(event) => write({ description: event.target.value })}
        className={`${CONTROL} !h-auto max-h-40 py-1 [field-sizing:content]`}
      />
      <JsonEditor
        label={`Parameters of ${label}`}
        value={shown}
        onChange={(text) => {
          setTyped(text)
          // A text that is no object stays in the tool, so that the variant is not sent with older parameters.
          write({ parameters: readObject(text) ?? (text as unknown as Record<string, unknown>) })
        }}
        onSave={onSave}
        onRun={onRun}
        className="max-h-60"
      />
      {problem !== undefined && definition.name !== '' && <p className="text-row text-err">{problem}</p>}
    </fieldset>
  )
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

const NEW_SCHEMA = { type: 'object', properties: {}, required: [], additionalProperties: false }

/** The JSON schema that the answer must match. */
export function OutputSchemaEditor({ variant, onChange, onSave, onRun }: EditorProps) {
  const { output } = variant
  return (
    <Disclosure summary={output === undefined ? 'Output schema' : `Output schema: ${output.name}`}>
      <div className="flex flex-col gap-2 pb-2 pt-1">
        {output === undefined ? (
          <>
            <p className="text-row text-fg-muted">The answer is any text. With a schema it is checked JSON.</p>
            <Button
              className="w-fit"
              onClick={() => onChange({ output: { name: 'output', schema: printJson(NEW_SCHEMA), strict: true } })}
            >
              Add schema
            </Button>
          </>
        ) : (
          <>
            <div className="flex min-w-0 items-center gap-2">
              <input
                aria-label={`Name of the output schema of ${variant.name}`}
                value={output.name}
                maxLength={64}
                spellCheck={false}
                onChange={(event) => onChange({ output: { ...output, name: event.target.value } })}
                className={`${CONTROL} font-mono`}
              />
              <label className="flex shrink-0 items-center gap-1.5 text-row text-fg-muted">
                <input
                  type="checkbox"
                  checked={output.strict}
                  onChange={(event) => onChange({ output: { ...output, strict: event.target.checked } })}
                />
                Strict
              </label>
              <IconButton
                icon={X}
                label={`Remove the output schema of ${variant.name}`}
                onClick={() => onChange({ output: undefined })}
              />
            </div>
            <JsonEditor
              label={`Output schema of ${variant.name}`}
              value={output.schema}
              onChange={(schema) => onChange({ output: { ...output, schema } })}
              onSave={onSave}
              onRun={onRun}
            />
          </>
        )}
      </div>
    </Disclosure>
  )
}
