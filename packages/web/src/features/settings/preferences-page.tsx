import { type ReactNode, useState } from 'react'
import { zoneLabel } from '#lib/format.ts'
import {
  decimalsPreference,
  densityPreference,
  type Motion,
  motionPreference,
  zonePreference,
} from '#lib/preferences.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { themePreference } from '#shell/frame/theme.ts'
import { usePreference } from '#ui/hooks.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { setSingleKeys, useShortcutRegistry } from '#ui/shortcuts.tsx'

const DECIMALS = [0, 1, 2, 3, 4, 6].map((count) => ({ value: String(count), label: String(count) }))

/** Display preferences of this browser. They apply at once and need no saving. */
export function PreferencesPage() {
  const [theme, setTheme] = usePreference(themePreference)
  const [density, setDensity] = usePreference(densityPreference)
  const [zone, setZone] = usePreference(zonePreference)
  const [decimals, setDecimals] = usePreference(decimalsPreference)
  const [motion, setMotion] = usePreference(motionPreference)
  const registry = useShortcutRegistry()
  const [singleKeys, setOn] = useState(registry.singleKeys)
  return (
    <PageFrame title="Preferences" status={<span>Saved in this browser</span>}>
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        <dl className="max-w-4xl divide-y divide-border rounded-card border border-border bg-surface">
          <Choice name="Theme" hint="Color scheme of the UI.">
            <Segmented
              label="Theme"
              value={theme}
              onChange={setTheme}
              options={[
                { value: 'system', label: 'System' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
          </Choice>
          <Choice
            name="Density"
            hint="Row height of lists. Preview also shows several lines of input and output in lists of runs."
          >
            <Segmented
              label="Density"
              value={density}
              onChange={setDensity}
              options={[
                { value: 'compact', label: 'Compact' },
                { value: 'comfortable', label: 'Comfortable' },
                { value: 'preview', label: 'Preview' },
              ]}
            />
          </Choice>
          <Choice
            name="Time zone"
            hint={`How timestamps are shown. Local is ${zoneLabel('local')}. Copied times are UTC.`}
          >
            <Segmented
              label="Time zone"
              value={zone}
              onChange={setZone}
              options={[
                { value: 'local', label: 'Local' },
                { value: 'UTC', label: 'UTC' },
              ]}
            />
          </Choice>
          <Choice name="Score decimals" hint="Full precision on hover.">
            <Segmented
              label="Score decimals"
              value={String(decimals)}
              onChange={(value) => setDecimals(Number(value))}
              options={DECIMALS}
            />
          </Choice>
          <Choice name="Motion" hint="Reduced turns off all animations, regardless of the system setting.">
            <Segmented<Motion>
              label="Motion"
              value={motion}
              onChange={setMotion}
              options={[
                { value: 'system', label: 'System' },
                { value: 'reduced', label: 'Reduced' },
              ]}
            />
          </Choice>
          <Choice name="Single-letter shortcuts" hint="If off, only shortcuts with Ctrl or ⌘ work. Press ? for a list.">
            <Segmented
              label="Single-letter shortcuts"
              value={singleKeys ? 'on' : 'off'}
              onChange={(value) => {
                setSingleKeys(registry, value === 'on')
                setOn(value === 'on')
              }}
              options={[
                { value: 'on', label: 'On' },
                { value: 'off', label: 'Off' },
              ]}
            />
          </Choice>
        </dl>
      </div>
    </PageFrame>
  )
}

function Choice({ name, hint, children }: { name: string; hint: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <dt className="min-w-48 flex-1">
        <div className="text-base font-medium">{name}</div>
        <div className="text-row text-fg-muted">{hint}</div>
      </dt>
      <dd>{children}</dd>
    </div>
  )
}
