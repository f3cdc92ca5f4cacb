import { useQuery } from '@tanstack/react-query'
import type { ModelParameterName } from '@touchstone/contract'
import { findModelCapabilities, type ModelCapabilities } from '@touchstone/contract/model-capabilities'
import type { ModelProvider } from '@touchstone/sdk'
import { useMemo } from 'react'
import { modelProviderQuery } from '#features/models/providers/queries.ts'
import { Combobox } from '#ui/combobox.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { CONTROL } from '#ui/field.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Select } from '#ui/select.tsx'
import { dropEmpty, type Variant } from './logic/variant.ts'

interface ModelSettingsProps {
  variant: Variant
  providers: readonly ModelProvider[]
  onChange: (change: Partial<Variant>) => void
  /** Ctrl+S in a field for JSON. */
  onSave: () => void
  /** Ctrl+Enter in a field for JSON. */
  onRun: () => void
}

/** Provider and model, and below them the parameters that the model accepts. */
export function ModelSettings({ variant, providers, onChange, onSave, onRun }: ModelSettingsProps) {
  const provider = providers.find(({ id }) => id === variant.providerId)
  const listed = useQuery({ ...modelProviderQuery.models(variant.providerId), enabled: provider !== undefined })
  const models = useMemo(
    () => [...new Set([...(listed.data?.models ?? []).map(({ id }) => id), ...(provider?.models ?? [])])],
    [listed.data, provider],
  )
  const known = listed.data?.models.find(({ id }) => id === variant.model)
  const problem = listed.data?.problem
  return (
    <section aria-label={`Model of ${variant.name}`} className="flex min-w-0 flex-col gap-1">
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-1.5">
        <Select
          aria-label={`Provider of ${variant.name}`}
          value={provider?.id ?? ''}
          placeholder="Provider"
          onChange={(providerId) => onChange({ providerId })}
          options={providers.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Combobox
          aria-label={`Model of ${variant.name}`}
          value={variant.model}
          suggestions={models}
          placeholder="Model"
          onChange={(model) => onChange({ model })}
        />
      </div>
      {problem && models.length === 0 && (
        <p role="status" className="text-row text-fg-muted">
          The provider lists no models: {problem.message} Type a name.
        </p>
      )}
      {known?.has_price === false && (
        <p className="text-meta text-fg-muted">This model has no price, so its cost is unknown.</p>
      )}
      {provider && (
        <Parameters variant={variant} provider={provider} onChange={onChange} onSave={onSave} onRun={onRun} />
      )}
    </section>
  )
}

interface Control {
  readonly label: string
  readonly kind: 'number' | 'integer' | 'effort' | 'boolean' | 'lines'
  readonly hint?: string
}

const CONTROLS: Readonly<Record<ModelParameterName, Control>> = {
  temperature: { label: 'Temperature', kind: 'number' },
  top_p: { label: 'Top P', kind: 'number' },
  top_k: { label: 'Top K', kind: 'integer' },
  max_tokens: { label: 'Max tokens', kind: 'integer' },
  frequency_penalty: { label: 'Frequency penalty', kind: 'number' },
  presence_penalty: { label: 'Presence penalty', kind: 'number' },
  seed: { label: 'Seed', kind: 'integer' },
  reasoning_effort: { label: 'Reasoning effort', kind: 'effort' },
  reasoning_budget: { label: 'Reasoning tokens', kind: 'integer' },
  parallel_tool_calls: { label: 'Parallel tool calls', kind: 'boolean' },
  stop: { label: 'Stop sequences', kind: 'lines', hint: 'One per line' },
}

const ORDER = Object.keys(CONTROLS) as ModelParameterName[]

/** Fields of the parameters that the model accepts, and of those that are set although it does not. */
function Parameters({
  variant,
  provider,
  onChange,
  onSave,
  onRun,
}: Omit<ModelSettingsProps, 'providers'> & { provider: ModelProvider }) {
  const capabilities = findModelCapabilities(provider.kind, variant.model)
  const set = dropEmpty(variant.parameters)
  const names = ORDER.filter((name) => capabilities.parameters.includes(name) || set[name] !== undefined)
  const conflict = capabilities.exclusive.find((pair) => pair.every((name) => set[name] !== undefined))
  const write = (name: ModelParameterName, value: unknown) =>
    onChange({ parameters: dropEmpty({ ...variant.parameters, [name]: value }) })
  return (
    <Disclosure summary={<Summary variant={variant} />}>
      <div className="flex flex-col gap-2 pb-2 pt-1">
        <div className="grid grid-cols-2 gap-x-2 gap-y-1.5">
          {names.map((name) => (
            <ParameterField
              key={name}
              name={name}
              variant={variant}
              capabilities={capabilities}
              onChange={(value) => write(name, value)}
            />
          ))}
        </div>
        {conflict && (
          <p role="status" className="text-row text-warn">
            {variant.model} takes only one of {conflict.map((name) => CONTROLS[name].label).join(' and ')}.
          </p>
        )}
        {!capabilities.known && variant.model !== '' && (
          <p className="text-meta text-fg-muted">This model is not known here, so every parameter is offered.</p>
        )}
        <div className="flex min-w-0 flex-col gap-1">
          <span className="text-row text-fg-muted">Extra body</span>
          <JsonEditor
            label={`Extra body of ${variant.name}`}
            value={variant.extraBody}
            onChange={(extraBody) => onChange({ extraBody })}
            onSave={onSave}
            onRun={onRun}
            mayBeEmpty
            className="max-h-48"
          />
          <span className="text-meta text-fg-muted">Added to the request as it is; null removes a field.</span>
        </div>
      </div>
    </Disclosure>
  )
}

function Summary({ variant: { parameters, extraBody } }: { variant: Variant }) {
  const set = Object.entries(dropEmpty(parameters)).map(
    ([name, value]) =>
      `${CONTROLS[name as ModelParameterName]?.label ?? name} ${Array.isArray(value) ? value.length : value}`,
  )
  if (extraBody.trim() !== '') set.push('extra body')
  return set.length === 0 ? 'Parameters' : <>Parameters: {set.join(', ')}</>
}

interface ParameterFieldProps {
  name: ModelParameterName
  variant: Variant
  capabilities: ModelCapabilities
  onChange: (value: unknown) => void
}

function ParameterField({ name, variant, capabilities, onChange }: ParameterFieldProps) {
  const { label, kind, hint } = CONTROLS[name]
  const value = variant.parameters[name]
  const isAccepted = capabilities.parameters.includes(name)
  const id = `${variant.key}-${name}`
  return (
    <div className={kind === 'lines' ? 'col-span-2 flex flex-col gap-0.5' : 'flex min-w-0 flex-col gap-0.5'}>
      <label htmlFor={id} className="truncate text-meta text-fg-muted">
        {label}
        {!isAccepted && <span className="text-warn"> (not accepted by this model)</span>}
      </label>
      {kind === 'boolean' ? (
        <Select
          id={id}
          value={value == null ? '' : String(value)}
          onChange={(choice) => onChange(choice === '' ? undefined : choice === 'true')}
          options={[
            { value: '', label: 'Default' },
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      ) : kind === 'effort' ? (
        <Combobox
          id={id}
          value={String(value ?? '')}
          suggestions={capabilities.reasoningEfforts.length > 0 ? capabilities.reasoningEfforts : EFFORTS}
          placeholder="Default"
          onChange={(text) => onChange(text === '' ? undefined : text)}
        />
      ) : kind === 'lines' ? (
        <textarea
          id={id}
          rows={1}
          placeholder={hint}
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(event) =>
            onChange(event.target.value === '' ? undefined : event.target.value.split('\n').slice(0, 16))
          }
          className={`${CONTROL} !h-auto py-1 font-mono [field-sizing:content]`}
        />
      ) : (
        <input
          id={id}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          placeholder="Default"
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => {
            if (target.value === '') onChange(undefined)
            else if (Number.isFinite(target.valueAsNumber)) {
              onChange(kind === 'integer' ? Math.trunc(target.valueAsNumber) : target.valueAsNumber)
            }
          }}
          className={`${CONTROL} num`}
        />
      )}
    </div>
  )
}

const EFFORTS = ['low', 'medium', 'high']
