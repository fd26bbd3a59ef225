package clinic

// The words of the demo data. The people are invented.

func seedGivenNames() []string {
	return []string{
		"Aarav", "Aditi", "Ananya", "Anil", "Anjali", "Arjun", "Asha", "Bhavna", "Chandra", "Deepak", "Devika", "Divya",
		"Farhan", "Fatima", "Gauri", "Gopal", "Harpreet", "Hema", "Imran", "Indira", "Ishaan", "Jaya", "Joseph", "Kabir",
		"Kamala", "Karthik", "Kavya", "Kiran", "Lakshmi", "Leela", "Madhav", "Manoj", "Meera", "Mohan", "Nandini", "Naveen",
		"Neha", "Nikhil", "Padma", "Pooja", "Prakash", "Priya", "Rahul", "Rajan", "Ravi", "Rekha", "Rohan", "Sana",
		"Sanjay", "Sarita", "Savitri", "Shankar", "Sneha", "Sunil", "Tara", "Uma", "Varun", "Vikram", "Yasmin", "Zoya",
	}
}

func seedFamilyNames() []string {
	return []string{
		"Agarwal", "Ahmed", "Banerjee", "Bhat", "Chauhan", "Chopra", "D'Souza", "Das", "Desai", "Fernandes", "Gandhi", "Ghosh",
		"Gill", "Gupta", "Iyer", "Jain", "Joshi", "Kapoor", "Khan", "Kulkarni", "Kumar", "Mehta", "Menon", "Mishra",
		"Mukherjee", "Nair", "Naidu", "Pandey", "Patel", "Patil", "Pillai", "Qureshi", "Rao", "Reddy", "Sen", "Shah",
		"Sharma", "Shetty", "Singh", "Sinha", "Subramanian", "Thomas", "Varghese", "Verma", "Yadav",
	}
}

// seedNativeNames are in the scripts of India, and some with accents.
func seedNativeNames() []string {
	return []string{
		"प्रिया शर्मा", "राजेश कुमार", "सुनीता देवी", "अनिल यादव", "मीरा जोशी", // Devanagari
		"கவிதா சுப்பிரமணியன்", "முருகன் ராஜா", "லட்சுமி நாராயணன்", // Tamil
		"সুমিত্রা ব্যানার্জী", "অমিত ঘোষ", "রীনা দাস", // Bengali
		"ಸುಮಾ ರಾವ್", "ಮಂಜುನಾಥ್ ಗೌಡ", // Kannada
		"ലക്ഷ്മി നായർ", "ജോസഫ് വർഗീസ്", // Malayalam
		"శ్రీనివాస్ రెడ్డి", "పద్మ నాయుడు", // Telugu
		"હેતલ પટેલ", "જયેશ શાહ", // Gujarati
		"ਹਰਪ੍ਰੀਤ ਕੌਰ", "ਗੁਰਦੀਪ ਸਿੰਘ", // Gurmukhi
		"فاطمہ قریشی", "عمران خان", // Urdu
		"Zoë Fernandes", "José D’Souza", "Noël Antão", "Renée Lobo", // Latin, with accents
	}
}

// seedCities has one blank: a city may be missing.
func seedCities() []string {
	return []string{
		"Ahmedabad", "Bengaluru", "Bhopal", "Chandigarh", "Chennai", "Delhi", "Hyderabad", "Indore", "Jaipur", "Kochi",
		"Kolkata", "Lucknow", "Mumbai", "Mumbai", "Mysuru", "Nagpur", "Pune", "Pune", "Surat", "Visakhapatnam", "",
	}
}

func seedSpecialities() []string {
	return []string{
		"General medicine", "Paediatrics", "Gynaecology", "Cardiology", "Dermatology", "Orthopaedics",
		"ENT", "Ophthalmology", "Psychiatry", "Neurology", "Dentistry", "Endocrinology",
	}
}

// seedNotes are mostly blank, as notes are.
func seedNotes() []string {
	return []string{
		"", "", "", "", "", "", "First visit.", "Follow-up after two weeks.", "Bring earlier reports.", "Blood pressure check.",
		"Fasting blood sugar before the visit.", "Prefers Hindi.", "Prefers Tamil.", "Wheelchair access needed.",
		"Allergic to penicillin.", "Annual check-up.", "Vaccination.", "Second opinion.",
	}
}

// seedReminders are the notes of appointments without a time.
func seedReminders() []string {
	return []string{
		"Will call back to fix a time.", "Waiting for the laboratory's report.", "Out of town until next month.",
		"Prefers a Saturday.", "To be arranged with the family.",
	}
}
