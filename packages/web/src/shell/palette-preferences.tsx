import { Clock, Monitor, Moon, Rows3, Sun } from 'lucide-react'
import { densityPreference, zonePreference } from '#lib/preferences/preferences.ts'
import { PaletteGroup, PaletteItem } from './palette-parts.tsx'
import { themePreference } from './theme.ts'

/** The preferences that one changes in passing. */
export function PreferenceItems({ onChosen }: { onChosen: () => void }) {
  const choose = (write: () => void) => () => {
    write()
    onChosen()
  }
  return (
    <PaletteGroup heading="Preferences">
      <PaletteItem icon={<Monitor size={14} />} onSelect={choose(() => themePreference.write('system'))}>
        Theme: as the system
      </PaletteItem>
      <PaletteItem icon={<Sun size={14} />} onSelect={choose(() => themePreference.write('light'))}>
        Theme: light
      </PaletteItem>
      <PaletteItem icon={<Moon size={14} />} onSelect={choose(() => themePreference.write('dark'))}>
        Theme: dark
      </PaletteItem>
      <PaletteItem icon={<Rows3 size={14} />} onSelect={choose(() => densityPreference.write('compact'))}>
        Density: compact
      </PaletteItem>
      <PaletteItem icon={<Rows3 size={14} />} onSelect={choose(() => densityPreference.write('comfortable'))}>
        Density: comfortable
      </PaletteItem>
      <PaletteItem icon={<Clock size={14} />} onSelect={choose(() => zonePreference.write('local'))}>
        Times: local
      </PaletteItem>
      <PaletteItem icon={<Clock size={14} />} onSelect={choose(() => zonePreference.write('UTC'))}>
        Times: UTC
      </PaletteItem>
    </PaletteGroup>
  )
}
