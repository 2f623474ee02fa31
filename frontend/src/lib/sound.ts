// A few quiet sounds, generated in the browser; off by default.

type Sound = "card" | "chip" | "win" | "festive";

let context: AudioContext | null = null;

function note(
  at: number,
  pitch: number,
  length: number,
  volume: number,
  shape: OscillatorType,
): void {
  const sound = context!.createOscillator();
  const gain = context!.createGain();
  sound.type = shape;
  sound.frequency.value = pitch;
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  sound.connect(gain).connect(context!.destination);
  sound.start(at);
  sound.stop(at + length);
}

const NOTES: Readonly<Record<Sound, readonly [number, number, number, number, OscillatorType][]>> =
  {
    card: [[0, 190, 0.05, 0.05, "triangle"]],
    chip: [
      [0, 2100, 0.04, 0.04, "sine"],
      [0.03, 2600, 0.04, 0.03, "sine"],
    ],
    win: [
      [0, 660, 0.18, 0.05, "sine"],
      [0.12, 880, 0.3, 0.05, "sine"],
    ],
    festive: [
      [0, 523, 0.2, 0.05, "sine"],
      [0.12, 659, 0.2, 0.05, "sine"],
      [0.24, 784, 0.2, 0.05, "sine"],
      [0.36, 1047, 0.5, 0.05, "sine"],
    ],
  };

export function play(sound: Sound): void {
  context ??= new AudioContext();
  for (const [after, ...tone] of NOTES[sound]) note(context.currentTime + after, ...tone);
}
