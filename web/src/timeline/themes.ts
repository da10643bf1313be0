import type { Theme } from './paint';

const pixel = (hex: string): number => {
  const n = Number.parseInt(hex.slice(1), 16);
  return ((255 << 24) | ((n & 255) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
};

export const lightTheme: Theme = {
  background: pixel('#ffffff'),
  band: pixel('#f1f4f8'),
  header: pixel('#e6eaf0'),
  counter: pixel('#117733'),
  instant: pixel('#882255'),
  text: '#14171c',
  textOnDark: '#ffffff',
  textOnLight: '#101216',
  scale: 'rgb(255 255 255 / 80%)',
};

export const darkTheme: Theme = {
  background: pixel('#16181d'),
  band: pixel('#1d2027'),
  header: pixel('#262a33'),
  counter: pixel('#44aa99'),
  instant: pixel('#cc6677'),
  scale: 'rgb(22 24 29 / 80%)',
  text: '#f2f4f8',
  textOnDark: '#ffffff',
  textOnLight: '#101216',
};
